/** Runs before the first paint of the console, so that what is drawn first already runs in the right direction. */
try {
  const remembered = /(?:^|; )SVC_LANG=([a-z]{2})(?:;|$)/.exec(document.cookie)?.[1];
  if (remembered !== undefined) {
    document.documentElement.lang = remembered;
    document.documentElement.dir = remembered === "ar" ? "rtl" : "ltr";
  }
} catch {
  // No cookies, no choice: the application finds out the language of the browser.
}
