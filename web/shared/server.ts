/** Asks the server that the page came from. Failures have a sentence for the user. */
export async function getJson<T>(path: string): Promise<T> {
  return (await answerOf(await fetch(addressOf(path)))) as T;
}

/** The server does not take the token of this browser, or it has none. */
export class NoAccess extends Error {}

/** Has something done: the server decides whether this browser may. */
export async function act(name: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await fetch(addressOf(`v1/actions/${name}`), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answerOf(answer);
}

/** Gives this browser a token: the one that `skein live` printed, or its address that has it. */
export async function login(text: string): Promise<void> {
  const token = /[?&]token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim();
  const address = addressOf('');
  address.search = new URLSearchParams({ token }).toString();
  address.hash = '';
  const answer = await fetch(address);
  if (!answer.ok) await answerOf(answer);
}

export function addressOf(path: string): URL {
  return new URL(path, document.baseURI);
}

async function answerOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  const { error } = (body ?? {}) as { error?: { message?: string } };
  if (answer.status === 401)
    throw new NoAccess('this browser may only look: open the page by the address that skein live printed');
  throw new Error(error?.message ?? `the server answered ${answer.status}`);
}
