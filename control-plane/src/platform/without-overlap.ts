/**
 * Runs work, which must not throw, one run at a time: any calls during a run lead to one more run after it.
 */
export function withoutOverlap(work: () => Promise<void>): () => void {
  let [isRunning, isCalledFor] = [false, false];
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isCalledFor) {
      isCalledFor = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isCalledFor = true;
    if (!isRunning) {
      void run();
    }
  };
}
