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
import { shownMoment, shownText, shownWord } from "../../shown.ts";
import { rich, t } from "../../translate.ts";

type Step = { readonly label: string; readonly at: string | null; readonly tone: Tone };

/** The history of an order, in chronological order. */
function stepsOf(order: OrderRow): readonly Step[] {
  const over = order.status === "cancelled" || order.status === "expired";
  return [
    { label: t("Created"), at: order.created_at, tone: "ok" },
    ...(over ? [{ label: shownWord(order.status), at: order.expires_at, tone: "neutral" as const }] : []),
    {
      label: order.is_paid_late ? t("Paid after expiry") : t("Paid"),
      at: order.paid_at,
      tone: order.paid_at === null ? "neutral" : order.is_paid_late ? "warn" : "ok",
    },
    { label: t("Credited"), at: order.credited_at, tone: order.credited_at === null ? "neutral" : "ok" },
    ...(Number(order.refunded_usd) > 0
      ? [
          {
            label: t("Refunded {refunded_usd}", { refunded_usd: formats.usd(order.refunded_usd) }),
            at: null,
            tone: "warn" as const,
          },
        ]
      : []),
  ];
}

/** Whether money of an order can be given back, or what a code gave can be taken back. */
export const canRefund = ({ paid_at, status }: OrderRow): boolean => paid_at !== null && status !== "refunded";

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
            <span>{rich("Needs review: {reason}", { reason: shownWord(reason()) })}</span>
            <ActButton operation="/backend/admin/order/resolve/" onClick={() => props.onResolve()}>
              {t("Decide")}
            </ActButton>
          </Notice>
        )}
      </Show>
      <ol class="timeline" aria-label={t("Timeline")}>
        <For each={stepsOf(order)}>
          {(step) => (
            <li>
              <Status tone={step.tone}>{step.label}</Status>
              <span class="muted">{step.at === null ? t("not yet") : shownMoment(step.at)}</span>
            </li>
          )}
        </For>
      </ol>
      <Show when={canRefund(order)}>
        <div class="button-row">
          <ActButton operation="/backend/admin/refund/create/" onClick={() => props.onRefund()}>
            {order.pay_channel === "code" ? t("Take back") : t("Refund")}
          </ActButton>
        </div>
      </Show>
      <Card title={t("About the order")}>
        <Facts
          facts={[
            { name: t("Number"), value: <CopyText text={order.order_no} label={t("Copy the order number")} /> },
            { name: t("Status"), value: <StateWord state={order.status} /> },
            { name: t("Payer"), value: <UserLink userId={order.user_id} email={order.email} /> },
            { name: t("Organisation"), value: <OrganisationLink row={order} /> },
            { name: t("Plan"), value: `${order.plan_name} (${order.plan_code}, ${shownWord(order.plan_kind)})` },
            { name: t("Amount"), value: `${formats.usd(order.amount_usd)} ${order.currency}` },
            ...(order.coupon_code === null
              ? []
              : [
                  {
                    name: t("Coupon"),
                    value: t("{coupon_code}, {discount_usd} off before tax", {
                      coupon_code: order.coupon_code,
                      discount_usd: formats.usd(order.discount_usd ?? "0.00"),
                    }),
                  },
                ]),
            { name: t("Grants"), value: formats.quota(order.quota) },
            { name: t("Refunded"), value: formats.usd(order.refunded_usd) },
            {
              name: t("Payment method"),
              value: [paymentMethod(order), order.sender].filter(Boolean).join(", "),
            },
            ...(order.is_mock ? [{ name: t("Mock"), value: t("yes: no money was paid") }] : []),
            { name: t("Transaction"), value: <code>{shownText(order.transaction_id)}</code> },
            { name: t("Gateway ID"), value: <code>{shownText(order.gateway_reference)}</code> },
            { name: t("Expires"), value: shownMoment(order.expires_at) },
          ]}
        />
        <div class="button-row">
          <PageLink href={`/admin/payments/?order_no=${order.order_no}`}>{t("Payments of this order")}</PageLink>
          <PageLink href={`/admin/payments/?tab=refunds&order_no=${order.order_no}`}>{t("Refunds")}</PageLink>
        </div>
      </Card>
    </>
  );
}
