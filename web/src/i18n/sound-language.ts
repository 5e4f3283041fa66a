/** The tag of a language that a browser gives, which need not be one: `en-US@posix` is what some say under Linux. */
export function soundLanguage(said: string): string {
  const [tag = ""] = said.replaceAll("_", "-").split(/[@.]/);
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";
  }
}
