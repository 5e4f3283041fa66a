import { apiPost } from "../api/client.ts";
import { leaveSignInHint } from "../shell/sign-in-hint.ts";
import { clearTab } from "./parts/tab-storage.ts";

/** Ends the session, and opens the login page. */
export async function logOut(): Promise<void> {
  try {
    await apiPost("/backend/auth/logout/", {});
  } finally {
    leaveSignInHint(false);
    clearTab();
    location.assign("/login/");
  }
}
