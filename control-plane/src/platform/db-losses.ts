/** Before the second, third and fourth attempt. Together they outlast a few backends that are ended one after the other. */
const pausesMs = [0, 10, 40];
/** After this long, only the second attempt is made: what takes so long is silent or overloaded. */
const quickMsMax = 500;

/**
 * Runs statements again that failed: a lost connection is not an outage, nor are two or three. While the database is
 * known to be unreachable, every attempt fails immediately.
 * @param attempt must be right to run again when the effect of an earlier one is unknown
 * @throws what the last attempt threw
 */
export async function throughLosses<T>(attempt: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (const [index, pauseMs] of pausesMs.entries()) {
    try {
      return await attempt();
    } catch (error) {
      if (index > 0 && performance.now() - startedAt > quickMsMax) {
        throw error;
      }
    }
    if (pauseMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return await attempt();
}
