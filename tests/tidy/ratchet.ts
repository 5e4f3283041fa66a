const withoutLine = (violation: string): string => violation.replace(/:\d+(?=:| ->)/, "");

/**
 * Compares what a rule found with the breaks that are known. Such a list may only shrink: a break that is not on it is
 * reported, and so is one that is on it and was mended.
 * @param violations each begins with `path:line:` or `path:line -> target:`; a line may be missing
 * @param known the same beginnings without the line: `path` or `path -> target`
 */
export function beyondKnown(violations: readonly string[], known: readonly string[]): string[] {
  const isBorne = (violation: string, entry: string): boolean => withoutLine(violation).startsWith(`${entry}:`);
  const fresh = violations.filter((violation) => !known.some((entry) => isBorne(violation, entry)));
  const mended = known.filter((entry) => !violations.some((violation) => isBorne(violation, entry)));
  return [...fresh, ...mended.map((entry) => `${entry}: keeps the rule now, take it off the list of known breaks`)];
}
