import { usePageTitle } from "../shell/page-title.ts";
import { t } from "./translate.ts";

/** Names the document after a page of the admin. */
export function useAdminTitle(page: () => string): void {
  usePageTitle(page, t("Admin"));
}
