/** Runs before the first paint of the console and the admin area: the page must not move when the application draws the sidebar. */
try {
  if (localStorage.getItem("sidebar-collapsed") === "yes") {
    document.documentElement.dataset["sidebar"] = "collapsed";
  }
} catch {
  // Without storage there is no stored choice: the sidebar is wide.
}
