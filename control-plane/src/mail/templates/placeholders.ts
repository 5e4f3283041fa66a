const placeholder = /\{\{\s*([a-z_]+)\s*\}\}/g;

/** The placeholder names in a template text, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = ""]) => name))];
}

/** A template text has a placeholder without a value. */
export class UnknownPlaceholderError extends Error {
  override readonly name = "UnknownPlaceholderError";
}

/**
 * Fills a text in one pass: braces in a value are left alone.
 * @throws UnknownPlaceholderError
 */
export function fillPlaceholders(text: string, findValue: (name: string) => string | undefined): string {
  return text.replace(placeholder, (_, name: string) => {
    const value = findValue(name);
    if (value === undefined) {
      throw new UnknownPlaceholderError(`no value for ${name}`);
    }
    return value;
  });
}
