/** Runs before the first paint of console and admin, so that nothing moves when the application draws the sidebar. */
try {
  if (localStorage.getItem("sidebar-collapsed") === "yes") {
    document.documentElement.dataset["sidebar"] = "collapsed";
  }
} catch {
  // The browser stores nothing, so the sidebar is wide.
}
