const isNumber = /^\d+(\.\d+)?$/;

/** By what share of it a number changes; null unless both are numbers, and there is something to compare with. */
export function shareBetween(before: unknown, after: unknown): number | null {
  const [from, to] = [String(before ?? "").trim(), String(after ?? "").trim()];
  return isNumber.test(from) && isNumber.test(to) && Number(from) > 0 ? Number(to) / Number(from) - 1 : null;
}
