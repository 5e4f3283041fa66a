/** Rows, and the cursor of the page after them; null at the end. */
export type KeysetPage<Row, Cursor> = { readonly rows: readonly Row[]; readonly nextCursor: Cursor | null };

/**
 * Reads a page by the key of its last row, for lists outside the list kit.
 * @param read is asked for one row more than the page has, to find out whether there is another page
 */
export async function readKeysetPage<Row, Cursor>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
  cursorOf: (row: Row) => Cursor,
): Promise<KeysetPage<Row, Cursor>> {
  const found = await read(limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
}
