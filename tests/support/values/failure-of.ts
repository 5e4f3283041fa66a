/** What some work failed with. @throws Error if it did not fail */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (outcome === null) {
    throw new Error("expected a failure");
  }
  return outcome.error;
}
