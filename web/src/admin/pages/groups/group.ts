import type { groupList } from "@sluice/contracts/admin-lists/gateway";
import type { groupDetail } from "@sluice/contracts/groups";
import type { RowOf } from "@sluice/contracts/lists";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../../translate.ts";

export type Group = RowOf<typeof groupList>;
export type GroupDetail = ResponseOf<typeof groupDetail>;

export const groupsPath = "/backend/admin/group/";
export const groupDetailPath = `${groupsPath}detail/`;

export const visibilityNames: Readonly<Record<Group["visibility"], string>> = {
  public: t("every user"),
  assigned: t("users added by an admin"),
  plan: t("buyers of its plans"),
};

/** An account that is put into a group, or taken out of it. */
export type GroupMember = { readonly kind: "user" | "organisation"; readonly id: string };

/** Whom a request names: one account, or the users that the admin typed. */
export function namedAs(member: GroupMember | null, typed: readonly string[]) {
  return member?.kind === "organisation" ? { organisations: [member.id] } : { users: [...typed] };
}

/** The beginning of a sentence about accounts that were changed. */
export function memberCount(member: GroupMember | null, count: number): string {
  if (member?.kind === "organisation") {
    return count === 1 ? t("{count} organisation is", { count }) : t("{count} organisations are", { count });
  }
  return count === 1 ? t("{count} user is", { count }) : t("{count} users are", { count });
}
