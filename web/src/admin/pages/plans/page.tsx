import type { planList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import type { JSX } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Status } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";

type Plan = RowOf<typeof planList>;

const columns: readonly Column<Plan>[] = [
  { id: "name", label: "Name", cell: (plan) => plan.name, card: "title", isSortable: true },
  { id: "plan_code", label: "Code", cell: (plan) => <code>{plan.plan_code}</code> },
  { id: "kind", label: "Kind", cell: (plan) => (plan.kind === "monthly" ? "monthly" : "balance") },
  {
    id: "price_usd",
    label: "Price, USD",
    cell: (plan) => formats.usd(plan.price_usd),
    align: "end",
    isSortable: true,
  },
  { id: "quota", label: "Grants, USD", cell: (plan) => formats.quota(plan.quota), align: "end" },
  { id: "subscribers", label: "Subscribers", cell: (plan) => formats.number(BigInt(plan.subscribers)), align: "end" },
  {
    id: "status",
    label: "Status",
    cell: (plan) => <Status tone={plan.status === "active" ? "ok" : "neutral"}>{plan.status}</Status>,
    card: "badge",
  },
  { id: "updated_at", label: "Changed", cell: (plan) => formats.dateTime(plan.updated_at), isHiddenAtFirst: true },
];

/** All plans, those that are not offered included. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Plans");
  const state = createTableState({ filters: ["kind", "status"] });
  const list = createListQuery<Plan>({ path: "/backend/admin/plan/", state });
  return (
    <>
      <PageHead title="Plans" text="What can be bought, in US dollars." />
      <DataTable
        {...list}
        name="admin-plans"
        label="Plans"
        columns={columns}
        state={state}
        rowId={(plan) => plan.plan_code}
        filters={[
          {
            id: "kind",
            label: "Kind",
            options: [
              { value: "wallet_balance", label: "balance" },
              { value: "monthly", label: "monthly" },
            ],
          },
          {
            id: "status",
            label: "Status",
            options: [
              { value: "active", label: "active" },
              { value: "hidden", label: "hidden" },
            ],
          },
        ]}
        empty={{ title: "There are no plans", text: "Without a plan nothing can be bought; make one first." }}
        panel={{ title: (plan) => plan.name, content: (plan) => <PlanFacts plan={plan} /> }}
      />
    </>
  );
}

function PlanFacts(props: { readonly plan: Plan }): JSX.Element {
  const { plan } = props;
  return (
    <Facts
      facts={[
        { name: "Code", value: <CopyText text={plan.plan_code} label="Copy the code" /> },
        { name: "Price", value: formats.usd(plan.price_usd) },
        { name: "Grants", value: formats.quota(plan.quota) },
        { name: "Description", value: plan.description },
        { name: "Features", value: plan.features.join(", ") },
        { name: "Version", value: formats.number(plan.version) },
        { name: "Changed", value: formats.dateTime(plan.updated_at) },
      ]}
    />
  );
}
