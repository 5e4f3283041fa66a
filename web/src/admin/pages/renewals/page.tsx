import type { RowOf } from "@sluice/contracts/lists";
import type { renewalList, renewalResponse } from "@sluice/contracts/renewals";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { renewalStatuses } from "../../values.ts";

type Renewal = RowOf<typeof renewalList>;

const renewalsPath = "/backend/admin/renewal/";

/** Who or what ended a subscription. */
const ends: Readonly<Record<NonNullable<Renewal["end_reason"]>, string>> = {
  customer: t("the customer"),
  admin: t("an admin"),
  payment: t("failed payments"),
  gateway: t("the gateway"),
  unknown: t("no longer known at the gateway"),
  second: t("the user or the organisation had the plan already"),
  left: t("the member whose card it is no longer pays for the organisation"),
};

const stateOf = (row: Renewal): JSX.Element => (
  <>
    <StateWord state={row.status} />
    <Show when={row.is_cancelled_at_end && row.status === "active"}> {t("ends after this month")}</Show>
  </>
);

const columns: readonly Column<Renewal>[] = [
  { id: "email", label: t("Customer"), cell: (row) => <bdi>{row.email}</bdi>, card: "title" },
  { id: "organisation", label: t("Organisation"), cell: (row) => <bdi>{shownText(row.organisation)}</bdi> },
  { id: "plan_name", label: t("Plan"), cell: (row) => <bdi>{row.plan_name}</bdi> },
  {
    id: "price_usd",
    label: t("Price per month"),
    cell: (row) => formats.usd(row.price_usd),
    align: "end",
    isSortable: true,
  },
  { id: "status", label: t("State"), cell: stateOf, card: "badge" },
  { id: "periods", label: t("Months paid"), cell: (row) => shownCount(row.periods), align: "end" },
  { id: "period_end", label: t("Paid until"), cell: (row) => listMoment(row.period_end) },
  { id: "created_at", label: t("Begun"), cell: (row) => listMoment(row.created_at), isSortable: true },
];

const mayEnd = ({ status }: Renewal): boolean => status === "active" || status === "past_due";

const selection = selectionOf("renewals", renewalsPath);

/** Plans that the card gateway charges for every month. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Subscriptions"));
  const state = createTableState({ filters: ["email", "plan_code", "status"] });
  const list = createListQuery<Renewal>({ path: renewalsPath, state });
  const [cancelled, setCancelled] = createSignal<Renewal | null>(null);
  return (
    <>
      <PageHead
        title={t("Subscriptions")}
        text={t("Plans that the card gateway charges for every month. Each paid month is an order.")}
      />
      <DataTable
        {...list}
        name="admin-renewals"
        label={t("Subscriptions")}
        columns={columns}
        state={state}
        rowId={(row) => row.renewal_no}
        selection={selection}
        filters={[
          { id: "status", label: t("State"), options: optionsOf(renewalStatuses) },
          { id: "email", label: t("Customer's e-mail"), isSearch: true },
          { id: "plan_code", label: t("Plan code"), isSearch: true },
        ]}
        empty={{
          title: t("No subscriptions yet"),
          text: t("Let a monthly plan renew, and customers can have their card charged for it every month."),
        }}
        panel={{
          title: (row) => row.email,
          content: (row) => <RenewalFacts renewal={row} onCancel={() => setCancelled(row)} />,
        }}
      />
      <Dialog isOpen={cancelled() !== null} onClose={() => setCancelled(null)} title={t("Cancel subscription")}>
        <Show when={cancelled()} keyed>
          {(row) => <CancelForm renewal={row} onDone={() => setCancelled(null)} />}
        </Show>
      </Dialog>
    </>
  );
}

function RenewalFacts(props: { readonly renewal: Renewal; readonly onCancel: () => void }): JSX.Element {
  const { renewal } = props;
  const ordersPath = `/admin/orders/?user_id=${renewal.user_id}&plan_code=${encodeURIComponent(renewal.plan_code)}`;
  return (
    <>
      <div class="button-row">
        <PageLink class="button" href={ordersPath}>
          {t("Orders")}
        </PageLink>
        <PageLink class="button" href={`/admin/users/${renewal.user_id}/`}>
          {t("Customer")}
        </PageLink>
        <Show when={mayEnd(renewal)}>
          <ActButton operation="/backend/admin/renewal/cancel/" variant="danger" onClick={() => props.onCancel()}>
            {t("Cancel subscription")}
          </ActButton>
        </Show>
      </div>
      <Facts
        facts={[
          { name: t("Number"), value: <code>{renewal.renewal_no}</code> },
          { name: t("State"), value: stateOf(renewal) },
          { name: t("Ended by"), value: renewal.end_reason === null ? t("nobody") : ends[renewal.end_reason] },
          { name: t("Reason"), value: <bdi>{shownText(renewal.note)}</bdi> },
          { name: t("For the organisation"), value: <bdi>{shownText(renewal.organisation)}</bdi> },
          { name: t("Plan"), value: <bdi>{`${renewal.plan_name} (${renewal.plan_code})`}</bdi> },
          { name: t("Price per month"), value: formats.usd(renewal.price_usd) },
          { name: t("Each month grants"), value: formats.quota(renewal.quota) },
          { name: t("Group"), value: renewal.group_name ?? t("none") },
          { name: t("Months paid"), value: shownCount(renewal.periods) },
          { name: t("Paid until"), value: shownMoment(renewal.period_end) },
          { name: t("Kept until, at the latest"), value: shownMoment(renewal.kept_until) },
          { name: t("Charge failed"), value: shownMoment(renewal.failed_at) },
          {
            name: t("New price"),
            value: renewal.next_price_usd === null ? t("none") : formats.usd(renewal.next_price_usd),
          },
          { name: t("New price applies from"), value: shownMoment(renewal.next_from) },
          { name: t("Account at the gateway"), value: renewal.account },
          { name: t("Number at the gateway"), value: <code>{shownText(renewal.gateway_subscription_id)}</code> },
          { name: t("Begun"), value: shownMoment(renewal.created_at) },
          { name: t("Updated"), value: shownMoment(renewal.updated_at) },
        ]}
      />
    </>
  );
}

function CancelForm(props: { readonly renewal: Renewal; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(renewalsPath);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    submit: async ({ reason }) => {
      await apiPost<typeof renewalResponse>(`${renewalsPath}cancel/`, {
        renewal_no: props.renewal.renewal_no,
        reason,
      });
      await refresh();
      showToast(t("The subscription was cancelled."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/renewal/cancel/"
      action={t("Cancel subscription")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        {rich(
          "The gateway charges nothing more for {plan_name}. The paid month runs to its end, and nothing is refunded. This can't be undone.",
          { plan_name: <bdi>{props.renewal.plan_name}</bdi> },
        )}
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
