/** Completed calls as a share of completed and failed ones, as everywhere; null if there are none. */
export function successShare(completed: number | string, failed: number | string): number | null {
  const counted = Number(completed) + Number(failed);
  return counted === 0 ? null : Number(completed) / counted;
}
