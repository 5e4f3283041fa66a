import type { groupList } from "@sluice/contracts/admin-lists/gateway";
import type { groupDetail } from "@sluice/contracts/groups";
import type { RowOf } from "@sluice/contracts/lists";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Group = RowOf<typeof groupList>;
export type GroupDetail = ResponseOf<typeof groupDetail>;

export const groupsPath = "/backend/admin/group/";
export const groupDetailPath = `${groupsPath}detail/`;

export const visibilityNames: Readonly<Record<Group["visibility"], string>> = {
  public: "every user",
  assigned: "users added by an admin",
  plan: "buyers of its plans",
};
