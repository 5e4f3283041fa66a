/** Runs before the first paint, in the head of every page: a selected theme must not flash the other one first. */
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset["theme"] = theme;
  }
} catch {
  // Without storage there is no stored choice: the theme of the system is used.
}
