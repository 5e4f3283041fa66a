const keyPattern = /^sk-[A-Za-z0-9]{48}$/;

/** Whether a text can be one of our keys at all; anything else is refused without asking the database. */
export function looksLikeApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** What people may see of a key. */
export function describeApiKey(key: string): { keyPrefix: string; keyLastFour: string } {
  return { keyPrefix: key.slice(0, 7), keyLastFour: key.slice(-4) };
}
