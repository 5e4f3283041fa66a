/** Where the next page begins, or null when a page that is not full shows that there is none. */
export function nextCursor(rows: readonly { readonly id: bigint }[], limit: number): bigint | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}
