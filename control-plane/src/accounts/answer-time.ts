/**
 * Does the work and responds no sooner than this many milliseconds after the start, so that the time does not reveal
 * what the work found. Errors are delayed as well.
 */
export async function takingAtLeast<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    await Bun.sleep(Math.max(0, milliseconds - (performance.now() - startedAt)));
  }
}
