/** What the command ends with. */
export const EXIT = {
  /** All is well. */
  well: 0,
  /** It could not be done. */
  failed: 1,
  /** The command was called the wrong way. */
  usage: 2,
  /** Done, but damage was found and data was lost, more than a cut last record. */
  damage: 3,
} as const;

/** The command was called the wrong way: the sentence says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One plain sentence for an error. */
export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return `${path ?? 'file'} is not there`;
    case 'EACCES':
    case 'EPERM':
      return `${path ?? 'file'} may not be read or written by this user`;
    case 'EISDIR':
      return `${path ?? 'path'} is a folder, not a file`;
    case 'ENOSPC':
      return 'the disk is full';
    case 'EMFILE':
      return 'too many open files: allow more with ulimit -n, such as 1024';
    default:
      return error.message;
  }
}
