/**
 * Compares what a rule found with the files that are known to break it. Such a list may only shrink: a file that is not
 * on it is reported, and so is one that is on it and keeps the rule by now.
 * Violations begin with the path of the file and a colon.
 */
export function beyondKnown(violations: readonly string[], known: readonly string[]): string[] {
  const fresh = violations.filter((violation) => !known.some((path) => violation.startsWith(`${path}:`)));
  const mended = known.filter((path) => !violations.some((violation) => violation.startsWith(`${path}:`)));
  return [...fresh, ...mended.map((path) => `${path}: keeps the rule now, take it off the list of known breaks`)];
}
