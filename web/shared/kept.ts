/** What the browser keeps under a name; null if nothing, or if it may not keep anything. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** The same as data, which may be of another version or anything; undefined if there is none. */
export function recallData(name: string): unknown {
  try {
    return JSON.parse(recall(name) ?? '');
  } catch {
    return undefined;
  }
}

/** Whether it is kept: where a browser may not keep anything, it holds for this visit only. */
export function keep(name: string, value: string): boolean {
  try {
    localStorage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

/** The members of what may be anything. */
export function partsOf(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}
