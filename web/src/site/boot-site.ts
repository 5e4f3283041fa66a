/**
 * Runs before the first paint of every public page and form, which are the same for everyone: a selected theme must not
 * flash the other one first, and returning users are offered the console immediately. The console leaves the hint.
 */
import "../shell/boot-theme.ts";

/** A script that has not come by then may never come. */
const unreadMsMax = 4_000;

// The list of models is drawn without the choice in the address, and must not jump when its script has read it.
if (location.search !== "" && location.pathname.endsWith("/models/")) {
  const { dataset } = document.documentElement;
  dataset["choice"] = "unread";
  setTimeout(() => delete dataset["choice"], unreadMsMax);
}

try {
  if (location.pathname === "/login/") {
    // The console sends visitors without a session to this page, so the hint is wrong.
    localStorage.removeItem("signed-in");
  } else if (/[?&]signed-in\b/.test(location.search) || localStorage.getItem("signed-in") === "yes") {
    // The first is the return path of a login that the page itself requested.
    localStorage.setItem("signed-in", "yes");
    document.documentElement.dataset["signedIn"] = "yes";
  }
} catch {
  // Without storage there is no hint: the page offers a login, which leads to the console.
}
