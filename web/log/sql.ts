/** The first rows of an answer. */
export interface SqlAnswer {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly more: boolean;
}

/** Has the server run a query over the files that it was started with. Throws with its sentence where it cannot. */
export async function runSql(sql: string): Promise<SqlAnswer> {
  const answer = await fetch(new URL('v1/actions/query', document.baseURI), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ sql }),
  });
  if (answer.ok) return (await answer.json()) as SqlAnswer;
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
  throw new Error(error?.message ?? `the server answered ${answer.status}`);
}
