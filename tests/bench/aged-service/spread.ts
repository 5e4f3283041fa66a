/** As many rows, numbered by `i` from 1. */
export const upTo = (count: number): string => `generate_series(1, ${count}) i`;

/** The rows are spread evenly over the last two years: calls are deleted, business data is not. */
export const spread = (row: string, count: number): string =>
  `now() - interval '720 days' * (1 - ${row}::float8 / ${count})`;
