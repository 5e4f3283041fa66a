/** A valid language tag for the browser's language, which may be invalid: `en-US@posix` occurs under Linux. */
export function soundLanguage(localeTag: string): string {
  const [tag = ""] = localeTag.replaceAll("_", "-").split(/[@.]/);
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}
