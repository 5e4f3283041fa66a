import { isLocale } from "@sluice/contracts/locales";
import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { LoadingPart } from "../../../kit/states.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { languageName } from "../../language-name.ts";
import { ArchiveButton, ArchivedNotice, archivedFilter } from "../../parts/archive.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { planKinds, planStatuses } from "../../values.ts";
import { LimitsCard } from "../limits/limits-card.tsx";
import { type Plan, plansPath } from "./plan.ts";

const PlanForm = lazy(async () => ({ default: (await import("./plan-form.tsx")).PlanForm }));

const columns: readonly Column<Plan>[] = [
  { id: "name", label: t("Name"), cell: (plan) => plan.name, card: "title", isSortable: true },
  { id: "plan_code", label: t("Code"), cell: (plan) => <code>{plan.plan_code}</code> },
  { id: "kind", label: t("Kind"), cell: (plan) => shownWord(plan.kind) },
  {
    id: "price_usd",
    label: t("Price, USD"),
    cell: (plan) => formats.usd(plan.price_usd),
    align: "end",
    isSortable: true,
  },
  { id: "quota", label: t("Grants, USD"), cell: (plan) => formats.quota(plan.quota), align: "end" },
  {
    id: "group_name",
    label: t("Group"),
    cell: (plan) =>
      plan.group_name === null ? (
        t("none")
      ) : (
        <PageLink href={`/admin/groups/${plan.group_name}/`}>{plan.group_name}</PageLink>
      ),
  },
  { id: "subscribers", label: t("Subscribers"), cell: (plan) => shownCount(plan.subscribers), align: "end" },
  { id: "status", label: t("Status"), cell: (plan) => <StateWord state={plan.status} />, card: "badge" },
  {
    id: "sort_order",
    label: t("Position"),
    cell: (plan) => formats.number(plan.sort_order),
    align: "end",
    isSortable: true,
  },
  { id: "updated_at", label: t("Updated"), cell: (plan) => listMoment(plan.updated_at), isHiddenAtFirst: true },
];

const selection = selectionOf("plans", plansPath);

/** All plans, including those not offered. Plans are hidden or archived, and never deleted: orders refer to them. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Plans"));
  const state = createTableState({ filters: ["kind", "status", "is_archived"] });
  const list = createListQuery<Plan>({ path: plansPath, state });
  const [edited, setEdited] = createSignal<{ readonly plan: Plan | null } | null>(null);
  onAskedToCreate(() => setEdited({ plan: null }));
  const close = (): void => {
    setEdited(null);
  };
  return (
    <>
      <PageHead
        title={t("Plans")}
        text={t("What customers can buy, in US dollars. Orders keep the plan as it was when they were placed.")}
      />
      <DataTable
        {...list}
        name="admin-plans"
        label={t("Plans")}
        columns={columns}
        state={state}
        rowId={(plan) => plan.plan_code}
        selection={selection}
        filters={[
          { id: "kind", label: t("Kind"), options: optionsOf(planKinds) },
          { id: "status", label: t("Status"), options: optionsOf(planStatuses) },
          archivedFilter,
        ]}
        actions={
          <IfAllowed operation="/backend/admin/plan/save/">
            <Button variant="primary" onClick={() => setEdited({ plan: null })}>
              <Icon name="plus" />
              {t("New plan")}
            </Button>
          </IfAllowed>
        }
        empty={{ title: t("No plans yet"), text: t("Without a plan, nothing can be bought. Create one first.") }}
        panel={{
          title: (plan) => plan.name,
          content: (plan) => <PlanFacts plan={plan} onEdit={() => setEdited({ plan })} />,
        }}
      />
      <Dialog
        isOpen={edited() !== null}
        onClose={close}
        title={edited()?.plan === null ? t("New plan") : t("Edit {name}", { name: edited()?.plan?.name ?? "" })}
        size="wide"
      >
        <Show when={edited()} keyed>
          {({ plan }) => (
            <Suspense fallback={<LoadingPart />}>
              <PlanForm plan={plan} onDone={close} />
            </Suspense>
          )}
        </Show>
      </Dialog>
    </>
  );
}

function PlanFacts(props: { readonly plan: Plan; readonly onEdit: () => void }): JSX.Element {
  const { plan } = props;
  return (
    <>
      <ArchivedNotice archivedAt={plan.archived_at} />
      <div class="button-row">
        <Show when={plan.archived_at === null}>
          <IfAllowed operation="/backend/admin/plan/save/">
            <Button variant="primary" onClick={() => props.onEdit()}>
              {t("Edit plan")}
            </Button>
          </IfAllowed>
        </Show>
        <PageLink class="button" href={`/admin/orders/?plan_code=${plan.plan_code}`}>
          {t("Orders")}
        </PageLink>
        <ArchiveButton
          kind="plan"
          id={plan.plan_code}
          name={plan.name}
          archivedAt={plan.archived_at}
          paths={[plansPath]}
        />
      </div>
      <Facts
        facts={[
          { name: t("Code"), value: <CopyText text={plan.plan_code} label={t("Copy the code")} /> },
          { name: t("Status"), value: <StateWord state={plan.status} /> },
          { name: t("Kind"), value: shownWord(plan.kind) },
          { name: t("Price"), value: formats.usd(plan.price_usd) },
          { name: t("Grants"), value: formats.quota(plan.quota) },
          {
            name: t("Amount"),
            value:
              plan.own_amount === null
                ? t("as the price")
                : t("{min_usd} to {max_usd}, in steps of {step_usd}", {
                    min_usd: formats.usd(plan.own_amount.min_usd),
                    max_usd: formats.usd(plan.own_amount.max_usd),
                    step_usd: formats.usd(plan.own_amount.step_usd),
                  }),
          },
          { name: t("Group"), value: plan.group_name ?? t("none") },
          { name: t("Subscribers"), value: shownCount(plan.subscribers) },
          { name: t("Description"), value: shownText(plan.description) },
          { name: t("Features"), value: plan.features.join(", ") || t("none") },
          {
            name: t("Other languages"),
            value: Object.keys(plan.texts).filter(isLocale).map(languageName).join(", ") || t("none"),
          },
          { name: t("Version"), value: formats.number(plan.version) },
          { name: t("Created"), value: shownMoment(plan.created_at) },
          { name: t("Updated"), value: shownMoment(plan.updated_at) },
        ]}
      />
      <Show when={plan.kind === "monthly"}>
        <LimitsCard of={{ plan_code: plan.plan_code }} edited={{ scope: "plan", plan_code: plan.plan_code }} />
      </Show>
    </>
  );
}
