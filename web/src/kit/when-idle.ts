const idleMsMax = 500;
const withoutIdleMs = 60;

/**
 * Runs something when the browser has nothing more urgent to do, such as painting or handling a press, but soon.
 * @returns a function that cancels it
 */
export function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const id = requestIdleCallback(run, { timeout: idleMsMax });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(run, withoutIdleMs);
  return () => clearTimeout(timer);
}
