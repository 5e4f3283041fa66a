import type { AdminOperation } from "@sluice/contracts/admin-rights";
import type { PaletteEntry } from "../../shell/palette-entries.ts";
import { t } from "../translate.ts";
import { type Me, mayCall } from "./rights.tsx";

type Action = {
  readonly label: string;
  readonly href: string;
  /** What it leads to; the palette offers it to admins who may do that. */
  readonly operation: AdminOperation;
};

const actions: readonly Action[] = [
  { label: t("Add a provider"), href: "/admin/upstreams/add/", operation: "/backend/admin/channel/save/" },
  { label: t("New model"), href: "/admin/models/?create", operation: "/backend/admin/model/save/" },
  { label: t("New plan"), href: "/admin/plans/?create", operation: "/backend/admin/plan/save/" },
  { label: t("New coupon"), href: "/admin/coupons/?create", operation: "/backend/admin/coupon/create/" },
  { label: t("New group"), href: "/admin/groups/?create", operation: "/backend/admin/group/save/" },
  { label: t("Adjust balance"), href: "/admin/manual-adjust/", operation: "/backend/admin/manual-adjust/" },
];

/** What the palette offers an admin to begin. */
export function adminActions(admin: ReturnType<Me["admin"]>, open: (href: string) => void): readonly PaletteEntry[] {
  return actions
    .filter(({ operation }) => mayCall(admin, operation))
    .map(({ label, href }) => ({ label, kind: t("Action"), onSelect: () => open(href) }));
}
