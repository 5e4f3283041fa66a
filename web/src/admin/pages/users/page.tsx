import type { userList } from "@sluice/contracts/admin-lists/accounts";
import type { RowOf } from "@sluice/contracts/lists";
import type { JSX } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { Amount } from "../../columns/amount.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { createRowActions, nameInRow } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { known, t } from "../../translate.ts";
import { userStatuses, userTypes } from "../../values.ts";
import { SuspendButton } from "../user/suspend-button.tsx";

type User = RowOf<typeof userList>;

const columns: readonly Column<User>[] = [
  { id: "email", label: t("E-mail"), cell: (user) => user.email, card: "title", isSortable: true },
  { id: "user_id", label: t("User ID"), cell: (user) => String(user.user_id), isHiddenAtFirst: true },
  { id: "gateway_user_id", label: t("Account ID"), cell: (user) => String(user.gateway_user_id) },
  { id: "status", label: t("Status"), cell: (user) => <StateWord state={user.status} />, card: "badge" },
  { id: "user_type", label: t("Type"), cell: (user) => known(user.user_type) },
  {
    id: "group_name",
    label: t("Group"),
    cell: (user) => <PageLink href={`/admin/groups/${user.group_name}/`}>{user.group_name}</PageLink>,
  },
  {
    id: "remaining",
    label: t("Balance, USD"),
    cell: (user) => <Amount quota={user.remaining} />,
    align: "end",
    isSortable: true,
  },
  { id: "used", label: t("Used, USD"), cell: (user) => <Amount quota={user.used} />, align: "end", isSortable: true },
  { id: "plans", label: t("Plans"), cell: (user) => user.plans.join(", ") || t("none") },
  { id: "live_keys", label: t("Keys"), cell: (user) => shownCount(user.live_keys), align: "end" },
  {
    id: "last_call_at",
    label: t("Last call"),
    cell: (user) => listMoment(user.last_call_at, t("never")),
    isSortable: true,
  },
  {
    id: "rate_multiplier",
    label: t("Multiplier"),
    cell: (user) => user.rate_multiplier,
    align: "end",
    isHiddenAtFirst: true,
  },
  {
    id: "last_seen_at",
    label: t("Last seen"),
    cell: (user) => listMoment(user.last_seen_at, t("never")),
    isHiddenAtFirst: true,
  },
  {
    id: "created_at",
    label: t("Registered"),
    cell: (user) => listMoment(user.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const usersPath = "/backend/admin/user/";
const selection = selectionOf("users", usersPath);

/** All users; one opens beside the list, and everything about them on a page of its own. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Users"));
  const state = createTableState({ filters: ["q", "status", "user_type", "group_name"] });
  const list = createListQuery<User>({ path: usersPath, state });
  const ofRow = createRowActions<User>({
    path: usersPath,
    id: (user) => String(user.user_id),
    name: (user) => user.email,
    action: ({ status }) => (status === "active" ? "users.suspend" : status === "suspended" ? "users.activate" : null),
  });
  return (
    <>
      <PageHead title={t("Users")} text={t("Search by the start of an e-mail address or API key, or by user ID.")} />
      <DataTable
        {...list}
        name="admin-users"
        label={t("Users")}
        columns={columns}
        state={state}
        rowId={(user) => String(user.user_id)}
        selection={selection}
        rowActions={(user) => (
          <>
            <AdjustLink user={user} label={nameInRow(t("Adjust balance"), user.email)} />
            {ofRow.actions(user)}
          </>
        )}
        filters={[
          { id: "q", label: t("Address, key or ID"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(userStatuses) },
          { id: "user_type", label: t("Type"), options: optionsOf(userTypes) },
          { id: "group_name", label: t("Group"), isSearch: true },
        ]}
        empty={{ title: t("No users yet"), text: t("Users appear here when they register.") }}
        panel={{ title: (user) => user.email, content: (user) => <UserPanel user={user} /> }}
      />
      {ofRow.dialog()}
    </>
  );
}

function AdjustLink(props: { readonly user: User; readonly label?: string }): JSX.Element {
  return (
    <IfAllowed operation="/backend/admin/manual-adjust/">
      <PageLink
        class="button"
        href={`/admin/manual-adjust/?gateway_user_id=${props.user.gateway_user_id}`}
        aria-label={props.label}
      >
        {t("Adjust balance")}
      </PageLink>
    </IfAllowed>
  );
}

function UserPanel(props: { readonly user: User }): JSX.Element {
  return (
    <>
      <div class="button-row">
        <PageLink class="button" data-variant="primary" href={`/admin/users/${props.user.user_id}/`}>
          {t("Open user")}
        </PageLink>
        <AdjustLink user={props.user} />
        <SuspendButton user={props.user} />
      </div>
      <Facts
        facts={[
          { name: t("User ID"), value: <CopyText text={String(props.user.user_id)} label={t("Copy the user ID")} /> },
          {
            name: t("Account ID"),
            value: <CopyText text={String(props.user.gateway_user_id)} label={t("Copy the account ID")} />,
          },
          { name: t("Name"), value: shownText(props.user.display_name) },
          { name: t("Status"), value: <StateWord state={props.user.status} /> },
          { name: t("Balance"), value: formats.quota(props.user.remaining) },
          { name: t("Used"), value: formats.quota(props.user.used) },
          { name: t("Multiplier"), value: props.user.rate_multiplier },
          { name: t("Group"), value: props.user.group_name },
          { name: t("Plans"), value: props.user.plans.join(", ") || t("none") },
          { name: t("Live keys"), value: shownCount(props.user.live_keys) },
          { name: t("Authenticator"), value: props.user.has_totp ? t("on") : t("off") },
          { name: t("Verified"), value: shownMoment(props.user.email_verified_at, t("not yet")) },
          { name: t("E-mail error"), value: shownText(props.user.verification_email_error) },
          { name: t("Last call"), value: shownMoment(props.user.last_call_at, t("never")) },
          { name: t("Last seen"), value: shownMoment(props.user.last_seen_at, t("never")) },
          { name: t("Registered"), value: shownMoment(props.user.created_at) },
        ]}
      />
    </>
  );
}
