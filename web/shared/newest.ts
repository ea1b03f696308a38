/** Repeats a task for as long as it is asked for: of what is asked while it runs, only the newest waits. */
export function newestOnly(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAsked = false;
  const run = async (): Promise<void> => {
    try {
      while (isAsked) {
        isAsked = false;
        await task();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isAsked = true;
    running ??= run();
    return running;
  };
}
