/** What the browser keeps under a name; null if nothing, or if it may not keep anything. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Where a browser may not keep anything, it holds for this visit only. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this visit only
  }
}
