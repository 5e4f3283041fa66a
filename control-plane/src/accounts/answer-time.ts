/**
 * Does the work and answers no sooner than so many milliseconds after the start: where two ways of the work must not be
 * told apart by their time. Errors wait as well.
 */
export async function takingAtLeast<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    await Bun.sleep(Math.max(0, milliseconds - (performance.now() - startedAt)));
  }
}
