/** Runs before the first paint of the console, so that what is drawn first already runs in the right direction. */
try {
  const locale = localStorage.getItem("locale");
  if (locale !== null && /^[a-z]{2}$/.test(locale)) {
    document.documentElement.lang = locale;
    document.documentElement.dir = locale === "ar" ? "rtl" : "ltr";
  }
} catch {
  // No storage, no choice: the application finds out the language of the browser.
}
