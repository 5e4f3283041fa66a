const placeholder = /\{\{\s*([a-z_]+)\s*\}\}/g;

/** The names that a text of a template asks for, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = ""]) => name))];
}

/** A text has a name in double braces that nobody has a value for. */
export class UnknownPlaceholderError extends Error {
  override readonly name = "UnknownPlaceholderError";
}

/**
 * Fills a text in one pass: braces in a value stay what they are.
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
