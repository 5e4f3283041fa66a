/** A valid language tag for the browser's language, which may be invalid: `en-US@posix` occurs under Linux. */
export function soundLanguage(said: string): string {
  const [tag = ""] = said.replaceAll("_", "-").split(/[@.]/);
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}
