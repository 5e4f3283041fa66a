const key = "signed-in";

/**
 * Leaves the public pages a hint that somebody is logged in here, as nobody tells them who asks. It only decides what they
 * offer first, see `site/boot-site.ts`; who may do what is judged by the session.
 */
export function leaveSignInHint(isSignedIn: boolean): void {
  try {
    if (isSignedIn) {
      localStorage.setItem(key, "yes");
    } else {
      localStorage.removeItem(key);
    }
  } catch {
    // There is no storage: the pages offer a login, which leads to the console.
  }
}
