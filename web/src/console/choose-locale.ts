import type { userResponse } from "@sluice/contracts/accounts";
import type { Locale } from "@sluice/contracts/locales";
import { apiPost } from "../api/client.ts";
import { showToast } from "../kit/toast.tsx";

/**
 * Stores the choice in the account, which emails follow, and reloads: every text, number and direction of the page
 * depends on it. The response sets the cookie that the next page reads.
 */
export async function chooseLocale(locale: Locale): Promise<void> {
  try {
    await apiPost<typeof userResponse>("/backend/auth/profile/save/", { locale });
  } catch (error) {
    showToast(error instanceof Error ? error.message : String(error));
    return;
  }
  location.reload();
}
