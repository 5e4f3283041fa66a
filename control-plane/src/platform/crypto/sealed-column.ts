/** A column whose values are sealed under the master key. Each feature lists its own, for key rotations. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The columns that identify a row and form the context of its value; the first is never null and unique. */
  readonly key: readonly string[];
  /** Whether the table stays so small that every start can search it for missing keys. */
  readonly isSmall: boolean;
  /** The context of `seal` for a row, given its key columns as text. */
  readonly contextOf: (key: readonly (string | null)[]) => string;
};
