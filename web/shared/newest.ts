/**
 * Repeats a task for as long as it is asked for: of what is asked while it runs, only the newest waits.
 * @param isOver whether the result is no longer needed
 */
export function newestOnly(task: () => Promise<void>, isOver: () => boolean = () => false): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAsked = false;
  const run = async (): Promise<void> => {
    try {
      while (isAsked && !isOver()) {
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
