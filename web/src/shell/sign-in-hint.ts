const key = "signed-in";

/**
 * Leaves the public pages a hint that a user is logged in, since those pages do not know the visitor. It only decides
 * what they offer first, see `site/boot-site.ts`; the session decides who may do what.
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
