import type { keyList, userList } from "@sluice/contracts/admin-lists/accounts";
import type { planList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import type { JSX } from "solid-js";
import { latePart } from "../../../shell/loaded-page.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { keyColumns } from "../../columns/account-columns.tsx";
import { Amount } from "../../columns/amount.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";

const KeyPanel = latePart(async () => (await import("../user/key-panel.tsx")).KeyPanel);

type GroupList<Row> = {
  readonly name: string;
  /** Its name in the contracts, if its rows can be chosen. */
  readonly list?: string;
  readonly path: string;
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  readonly empty: { readonly title: string; readonly text?: string };
  /** What opens beside the list. */
  readonly panel?: { readonly title: (row: Row) => string; readonly content: (row: Row) => JSX.Element };
};

/** A list of the admin with the rows of one group. */
function listOf<Row>(of: GroupList<Row>): (props: { readonly group: string }) => JSX.Element {
  const selection = of.list === undefined ? undefined : selectionOf(of.list, of.path);
  return (props) => {
    const state = createTableState({ filters: [] });
    const narrowed = { ...state, query: () => ({ ...state.query(), group_name: props.group }) };
    const list = createListQuery<Row>({ path: of.path, state: narrowed });
    return (
      <DataTable
        {...list}
        name={`admin-group-${of.name}`}
        label={of.name}
        columns={of.columns}
        state={narrowed}
        rowId={of.rowId}
        selection={selection}
        empty={of.empty}
        {...(of.panel === undefined ? {} : { panel: of.panel })}
      />
    );
  };
}

type User = RowOf<typeof userList>;

const userColumns: readonly Column<User>[] = [
  {
    id: "email",
    label: t("E-mail"),
    cell: (user) => <PageLink href={`/admin/users/${user.user_id}/`}>{user.email}</PageLink>,
    card: "title",
    isSortable: true,
  },
  { id: "status", label: t("Status"), cell: (user) => <StateWord state={user.status} />, card: "badge" },
  { id: "group_name", label: t("Group in use"), cell: (user) => user.group_name },
  { id: "plans", label: t("Plans"), cell: (user) => user.plans.join(", ") || t("none") },
  { id: "used", label: t("Used, USD"), cell: (user) => <Amount quota={user.used} />, align: "end" },
  { id: "last_call_at", label: t("Last call"), cell: (user) => listMoment(user.last_call_at, t("never")) },
];

type Plan = RowOf<typeof planList>;

const planColumns: readonly Column<Plan>[] = [
  { id: "name", label: t("Name"), cell: (plan) => plan.name, card: "title" },
  { id: "plan_code", label: t("Code"), cell: (plan) => <code>{plan.plan_code}</code> },
  { id: "price_usd", label: t("Price, USD"), cell: (plan) => formats.usd(plan.price_usd), align: "end" },
  { id: "subscribers", label: t("Subscribers"), cell: (plan) => shownCount(plan.subscribers), align: "end" },
  { id: "status", label: t("Status"), cell: (plan) => <StateWord state={plan.status} />, card: "badge" },
];

/** Users who were put into the group or have bought a plan with it. */
export const GroupUsers = listOf<User>({
  name: t("Users"),
  list: "users",
  path: "/backend/admin/user/",
  columns: userColumns,
  rowId: (user) => String(user.user_id),
  empty: { title: t("Nobody was added to this group") },
});

export const GroupKeys = listOf<RowOf<typeof keyList>>({
  name: t("Keys"),
  list: "keys",
  path: "/backend/admin/key/",
  columns: keyColumns,
  rowId: (key) => String(key.key_id),
  empty: { title: t("No key uses this group") },
  panel: { title: (key) => key.name, content: (key) => <KeyPanel apiKey={key} /> },
});

export const GroupPlans = listOf<Plan>({
  name: t("Plans"),
  list: "plans",
  path: "/backend/admin/plan/",
  columns: planColumns,
  rowId: (plan) => plan.plan_code,
  empty: { title: t("No plan adds its buyers to this group"), text: t("Choose the group in a monthly plan.") },
});
