import { adminReads } from "@sluice/contracts/admin-reads";
import { type AdminRight, adminRights } from "@sluice/contracts/admin-rights";
import { fieldsOfRole, roleAllows } from "@sluice/contracts/admin-role-rights";
import { type AdminRole, adminRoles, roleNames } from "@sluice/contracts/admin-roles";
import { For, type JSX } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { shownWord } from "../../shown.ts";
import { known, t } from "../../translate.ts";

const roles: readonly AdminRole[] = [...adminRoles.filter((role) => role !== "admin"), "admin", "super_admin"];
const rights: Readonly<Record<string, AdminRight>> = adminRights;

/** What each role may do, from the tables that the service itself decides by. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Roles"));
  return (
    <>
      <PageHead
        title={t("Roles")}
        text={t(
          "What each role may do and see. A super-admin assigns roles on the Admins page. A star marks what requires a recent login.",
        )}
      />
      <div class="section-stack">
        <For each={roles}>{(role) => <RoleCard role={role} />}</For>
      </div>
    </>
  );
}

function RoleCard(props: { readonly role: AdminRole }): JSX.Element {
  const facts = (): { name: string; value: string }[] => [
    ...factsOf(Object.keys(rights), props.role, (area) => t("{area}: do", { area })),
    ...(props.role === "admin" || props.role === "super_admin"
      ? [
          {
            name: t("see"),
            value: props.role === "admin" ? t("everything but what is for super-admins") : t("everything"),
          },
        ]
      : factsOf([...adminReads.keys()], props.role, (area) => t("{area}: see", { area }))),
  ];
  return (
    <Card title={known(roleNames[props.role])}>
      <Facts facts={facts()} />
    </Card>
  );
}

/** What the role may call, by area: `/backend/admin/code-batch/revoke/` is the act "revoke" of the area "code batch". */
function factsOf(
  paths: readonly string[],
  role: AdminRole,
  nameOf: (area: string) => string,
): { name: string; value: string }[] {
  const byArea = new Map<string, string[]>();
  for (const path of paths.filter((each) => isAllowed(role, each))) {
    const [area = "", ...rest] = path
      .replace(/^\/backend\/(auth\/)?(admin\/)?/, "")
      .split("/")
      .filter((part) => part !== "")
      .map((part) => part.replaceAll("-", " "));
    const acts = byArea.get(area) ?? [];
    byArea.set(area, [...acts, actText(role, path, known(rest.join(" ") || area))]);
  }
  return [...byArea]
    .sort(([one], [other]) => one.localeCompare(other, "en"))
    .map(([area, acts]) => ({ name: nameOf(known(area)), value: acts.join(", ") }));
}

function isAllowed(role: AdminRole, path: string): boolean {
  return (rights[path]?.access !== "super_admin" || role === "super_admin") && roleAllows(role, path);
}

/** What forms call the fields that roles differ in. */
const fieldNames: Readonly<Record<string, string>> = {
  credential: t("Credential"),
  group: t("Group"),
  rate_multiplier: t("Multiplier"),
  reason: t("Reason"),
  status: t("Status"),
  updated_at: t("Updated"),
  upstream: t("Address"),
  user_id: t("User ID"),
};

const fieldName = (field: string): string => fieldNames[field]?.toLowerCase() ?? shownWord(field);

/** The act, with the fields that the role may send if it may not send all. */
function actText(role: AdminRole, path: string, act: string): string {
  const fields = fieldsOfRole(role, path);
  const guarded = role === "super_admin" ? [] : (rights[path]?.guardedFields ?? []);
  const limits =
    fields === null
      ? guarded.map((field) => t("not {field}", { field: fieldName(field) }))
      : [t("only {fields}", { fields: fields.map(fieldName).join(", ") })];
  const star = rights[path]?.freshLogin === true ? "*" : "";
  return `${act}${star}${limits.length === 0 ? "" : ` (${limits.join(", ")})`}`;
}
