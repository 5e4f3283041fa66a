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
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { renewalStatuses } from "../../values.ts";

type Renewal = RowOf<typeof renewalList>;

const renewalsPath = "/backend/admin/renewal/";

/** Who or what ended a subscription. */
const ends: Readonly<Record<NonNullable<Renewal["end_reason"]>, string>> = {
  customer: "the customer",
  admin: "an admin",
  payment: "failed payments",
  gateway: "the gateway",
  unknown: "no longer known at the gateway",
  second: "the user or the organisation had the plan already",
  left: "the member whose card it is no longer pays for the organisation",
};

const stateOf = (row: Renewal): JSX.Element => (
  <>
    <StateWord state={row.status} />
    <Show when={row.is_cancelled_at_end && row.status === "active"}> ends after this month</Show>
  </>
);

const columns: readonly Column<Renewal>[] = [
  { id: "email", label: "Customer", cell: (row) => <bdi>{row.email}</bdi>, card: "title" },
  { id: "organisation", label: "For", cell: (row) => <bdi>{shownText(row.organisation)}</bdi> },
  { id: "plan_name", label: "Plan", cell: (row) => <bdi>{row.plan_name}</bdi> },
  {
    id: "price_usd",
    label: "Price per month",
    cell: (row) => formats.usd(row.price_usd),
    align: "end",
    isSortable: true,
  },
  { id: "status", label: "State", cell: stateOf, card: "badge" },
  { id: "periods", label: "Months paid", cell: (row) => shownCount(row.periods), align: "end" },
  { id: "period_end", label: "Paid until", cell: (row) => shownMoment(row.period_end) },
  { id: "created_at", label: "Begun", cell: (row) => shownMoment(row.created_at), isSortable: true },
];

const mayEnd = ({ status }: Renewal): boolean => status === "active" || status === "past_due";

const selection = selectionOf("renewals", renewalsPath);

/** Plans that the card gateway charges for every month. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Subscriptions");
  const state = createTableState({ filters: ["email", "plan_code", "status"] });
  const list = createListQuery<Renewal>({ path: renewalsPath, state });
  const [cancelled, setCancelled] = createSignal<Renewal | null>(null);
  return (
    <>
      <PageHead
        title="Subscriptions"
        text="Plans that the card gateway charges for every month. Each paid month is an order."
      />
      <DataTable
        {...list}
        name="admin-renewals"
        label="Subscriptions"
        columns={columns}
        state={state}
        rowId={(row) => row.renewal_no}
        selection={selection}
        filters={[
          { id: "status", label: "State", options: optionsOf(renewalStatuses) },
          { id: "email", label: "Customer's e-mail", isSearch: true },
          { id: "plan_code", label: "Plan code", isSearch: true },
        ]}
        empty={{
          title: "There are no subscriptions",
          text: "Let a monthly plan renew, and customers can have their card charged for it every month.",
        }}
        panel={{
          title: (row) => row.email,
          content: (row) => <RenewalFacts renewal={row} onCancel={() => setCancelled(row)} />,
        }}
      />
      <Dialog isOpen={cancelled() !== null} onClose={() => setCancelled(null)} title="Cancel subscription">
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
          Orders
        </PageLink>
        <PageLink class="button" href={`/admin/users/${renewal.user_id}/`}>
          Customer
        </PageLink>
        <Show when={mayEnd(renewal)}>
          <ActButton operation="/backend/admin/renewal/cancel/" variant="danger" onClick={() => props.onCancel()}>
            Cancel subscription
          </ActButton>
        </Show>
      </div>
      <Facts
        facts={[
          { name: "Number", value: <code>{renewal.renewal_no}</code> },
          { name: "State", value: stateOf(renewal) },
          { name: "Ended by", value: renewal.end_reason === null ? "nobody" : ends[renewal.end_reason] },
          { name: "Reason", value: <bdi>{shownText(renewal.note)}</bdi> },
          { name: "For the organisation", value: <bdi>{shownText(renewal.organisation)}</bdi> },
          { name: "Plan", value: <bdi>{`${renewal.plan_name} (${renewal.plan_code})`}</bdi> },
          { name: "Price per month", value: formats.usd(renewal.price_usd) },
          { name: "Each month grants", value: formats.quota(renewal.quota) },
          { name: "Group", value: renewal.group_name ?? "none" },
          { name: "Months paid", value: shownCount(renewal.periods) },
          { name: "Paid until", value: shownMoment(renewal.period_end) },
          { name: "Kept until, at the latest", value: shownMoment(renewal.kept_until) },
          { name: "Charge failed", value: shownMoment(renewal.failed_at) },
          { name: "New price", value: renewal.next_price_usd === null ? "none" : formats.usd(renewal.next_price_usd) },
          { name: "New price holds from", value: shownMoment(renewal.next_from) },
          { name: "Account at the gateway", value: renewal.account },
          { name: "Number at the gateway", value: <code>{shownText(renewal.gateway_subscription_id)}</code> },
          { name: "Begun", value: shownMoment(renewal.created_at) },
          { name: "Changed", value: shownMoment(renewal.updated_at) },
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
      showToast("The subscription was cancelled.");
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/renewal/cancel/"
      action="Cancel subscription"
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        The gateway charges nothing more for <bdi>{props.renewal.plan_name}</bdi>. The month that is paid runs to its
        end, and nothing is refunded. This can't be undone.
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
