/** Asks the server that the page came from. Errors have a sentence for the user. */
export async function getJson<T>(path: string): Promise<T> {
  return (await answerOf(await fetch(addressOf(path)))) as T;
}

/** The server does not accept the token of this browser, or there is none. */
export class NoAccess extends Error {}

/** Runs an action; the server decides whether this browser may. */
export async function act(name: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await fetch(addressOf(`v1/actions/${name}`), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answerOf(answer);
}

/** Logs in with the token that `skein live` printed, or the address with it. */
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
  if (answer.ok) return answer.json().catch(() => undefined);
  if (answer.status === 401) throw new NoAccess('this browser may only read: open the address that skein live printed');
  throw new Error(await failureOf(answer));
}

/** The error in an answer of the server, else its status. */
export async function failureOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => null)) as { error?: { message?: unknown } } | null;
  const message = body?.error?.message;
  return typeof message === 'string' ? message : `the server answered ${answer.status} ${answer.statusText}`.trim();
}
