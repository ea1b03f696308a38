/** Asks the server that the page came from. Failures have a sentence for the user. */
export async function getJson<T>(path: string): Promise<T> {
  return (await answerOf(await fetch(addressOf(path)))) as T;
}

/** Has something done: the server decides whether this browser may. */
export async function act(name: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await fetch(addressOf(`v1/actions/${name}`), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status === 401) {
    throw new Error('this browser may only look: open the page by the address that skein live printed, with its token');
  }
  await answerOf(answer);
}

export function addressOf(path: string): URL {
  return new URL(path, document.baseURI);
}

async function answerOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  const { error } = (body ?? {}) as { error?: { message?: string } };
  throw new Error(error?.message ?? `the server answered ${answer.status}`);
}
