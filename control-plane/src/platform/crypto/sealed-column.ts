/** A column whose values are sealed under the master key. Each feature lists its own, for key rotations. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The columns that identify a row and form the context of its value; the first is never null and unique. */
  readonly key: readonly string[];
  /** Whether it stays small, so that every start can look through it for keys that are missing. */
  readonly isSmall: boolean;
  /** The context of `seal` for a row, given those columns as text. */
  readonly contextOf: (key: readonly (string | null)[]) => string;
};
