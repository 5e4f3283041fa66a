import { For, type JSX, Show } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Notice } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { type OrderRow, paymentMethod } from "../../columns/billing-columns.tsx";
import { OrganisationLink, UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";

type Step = { readonly label: string; readonly at: string | null; readonly tone: Tone };

/** The history of an order, in chronological order. */
function stepsOf(order: OrderRow): readonly Step[] {
  const over = order.status === "cancelled" || order.status === "expired";
  return [
    { label: "Created", at: order.created_at, tone: "ok" },
    ...(over ? [{ label: order.status, at: order.expires_at, tone: "neutral" as const }] : []),
    {
      label: order.is_paid_late ? "Paid after expiry" : "Paid",
      at: order.paid_at,
      tone: order.paid_at === null ? "neutral" : order.is_paid_late ? "warn" : "ok",
    },
    { label: "Credited", at: order.credited_at, tone: order.credited_at === null ? "neutral" : "ok" },
    ...(Number(order.refunded_usd) > 0
      ? [{ label: `Refunded ${formats.usd(order.refunded_usd)}`, at: null, tone: "warn" as const }]
      : []),
  ];
}

/** One order: its history, its facts, and the possible decisions about it. */
export function OrderPanel(props: {
  readonly order: OrderRow;
  readonly onResolve: () => void;
  readonly onRefund: () => void;
}): JSX.Element {
  const { order } = props;
  return (
    <>
      <Show when={order.review_reason}>
        {(reason) => (
          <Notice tone="bad">
            <span>Needs review: {reason()}</span>
            <ActButton operation="/backend/admin/order/resolve/" onClick={() => props.onResolve()}>
              Decide
            </ActButton>
          </Notice>
        )}
      </Show>
      <ol class="timeline" aria-label="Timeline">
        <For each={stepsOf(order)}>
          {(step) => (
            <li>
              <Status tone={step.tone}>{step.label}</Status>
              <span class="muted">{step.at === null ? "not yet" : shownMoment(step.at)}</span>
            </li>
          )}
        </For>
      </ol>
      <Show when={order.paid_at !== null && order.status !== "refunded"}>
        <div class="button-row">
          <ActButton operation="/backend/admin/refund/create/" onClick={() => props.onRefund()}>
            {order.pay_channel === "code" ? "Take back" : "Refund"}
          </ActButton>
        </div>
      </Show>
      <Card title="Order">
        <Facts
          facts={[
            { name: "Number", value: <CopyText text={order.order_no} label="Copy the order number" /> },
            { name: "Status", value: <StateWord state={order.status} /> },
            { name: "Payer", value: <UserLink userId={order.user_id} email={order.email} /> },
            { name: "For", value: <OrganisationLink row={order} /> },
            { name: "Plan", value: `${order.plan_name} (${order.plan_code}, ${order.plan_kind.replace("_", " ")})` },
            { name: "Amount", value: `${formats.usd(order.amount_usd)} ${order.currency}` },
            ...(order.coupon_code === null
              ? []
              : [
                  {
                    name: "Coupon",
                    value: `${order.coupon_code}, ${formats.usd(order.discount_usd ?? "0.00")} off before tax`,
                  },
                ]),
            { name: "Grants", value: formats.quota(order.quota) },
            { name: "Refunded", value: formats.usd(order.refunded_usd) },
            {
              name: "Payment method",
              value: [paymentMethod(order), order.sender].filter(Boolean).join(", "),
            },
            { name: "Mock", value: order.is_mock ? "yes: no money was paid" : "no" },
            { name: "Transaction", value: <code>{shownText(order.transaction_id)}</code> },
            { name: "Gateway id", value: <code>{shownText(order.gateway_reference)}</code> },
            { name: "Expires", value: shownMoment(order.expires_at) },
          ]}
        />
        <div class="button-row">
          <PageLink href={`/admin/payments/?order_no=${order.order_no}`}>Payments of this order</PageLink>
          <PageLink href={`/admin/payments/?tab=refunds&order_no=${order.order_no}`}>Refunds</PageLink>
        </div>
      </Card>
    </>
  );
}
