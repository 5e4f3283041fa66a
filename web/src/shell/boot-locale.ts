/** Runs before the first paint of the console, so that it has the right direction from the start. */
try {
  const remembered = /(?:^|; )SVC_LANG=([a-z]{2})(?:;|$)/.exec(document.cookie)?.[1];
  if (remembered !== undefined) {
    document.documentElement.lang = remembered;
    document.documentElement.dir = remembered === "ar" ? "rtl" : "ltr";
  }
} catch {
  // Without cookies there is no stored choice: the application detects the browser's language.
}
