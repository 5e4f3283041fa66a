/** One small change of meaning, which the named tests have to notice. */
export type Mutant = {
  /** Area and name, as in `money/charge-once`. */
  readonly id: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Text that occurs once in the file; white space counts. */
  readonly from: string;
  readonly to: string;
  /** What the change breaks, as a rule that holds without it. */
  readonly rule: string;
  /** Files of tests, the one that should notice first. Paths below `tests`. */
  readonly tests: readonly string[];
  /** Why nothing can notice it. Such a mutant is not run and does not count. */
  readonly equivalent?: string;
};

/**
 * The text with the change.
 * @throws Error when the place is not there, or there more than once
 */
export function mutate(text: string, { id, file, from, to }: Mutant): string {
  const places = text.split(from).length - 1;
  if (places !== 1) {
    throw new Error(`${id}: its text occurs ${places} times in ${file}, which must be once`);
  }
  return text.replace(from, () => to);
}
