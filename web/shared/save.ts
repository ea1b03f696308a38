/** Hands a file to the user, as a download. */
export function save(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // the download has its own hold on it by then
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
