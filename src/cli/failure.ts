export const EXIT = {
  well: 0,
  failed: 1,
  usage: 2,
  /** Done, but data was lost: more than a cut last record. */
  damage: 3,
} as const;

/** The command was called the wrong way: the sentence says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return `${path ?? 'file'}: no such file`;
    case 'EACCES':
    case 'EPERM':
      return `${path ?? 'file'}: permission denied`;
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

/** Ctrl-C and SIGTERM as a signal, until it is released. */
export interface StopSignal {
  readonly signal: AbortSignal;
  readonly reached: Promise<void>;
  readonly stop: () => void;
  readonly release: () => void;
}

export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => controller.abort();
  const reached = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const release = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  return { signal, reached, stop, release };
}
