/**
 * Runs work that throws nothing, never twice at the same time: however often it is called for meanwhile, it runs once more
 * afterwards.
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
