const idleMsMax = 500;
const withoutIdleMs = 60;

/**
 * Runs something when the browser has nothing more urgent to do, like painting or answering a press, but soon.
 * @returns how to call it off
 */
export function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const id = requestIdleCallback(run, { timeout: idleMsMax });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(run, withoutIdleMs);
  return () => clearTimeout(timer);
}
