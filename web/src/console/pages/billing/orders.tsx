import type { orderListResponse, orderResponse } from "@sluice/contracts/billing";
import { planNameIn } from "@sluice/contracts/plan-words";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";
import { methodName } from "./payment-methods.ts";

type Order = ResponseOf<typeof orderListResponse>["orders"][number];

const pendingMs = 5_000;
const tones: Readonly<Record<Order["status"], Tone>> = {
  pending: "info",
  settled: "ok",
  cancelled: "neutral",
  expired: "neutral",
  refunded: "warn",
  review: "warn",
};

/** The orders of the account; while one waits for its payment, the list is refetched. */
export function Orders(): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const state = createTableState({ filters: [] });
  const [isWaiting, setIsWaiting] = createSignal(false);
  const list = createCursorList<Order>({
    name: "orders",
    state,
    load: async (query, signal) => {
      const { orders, next_cursor } = await apiGet<typeof orderListResponse>("/backend/billing/order/list/", {
        query,
        signal,
      });
      const isAnyPending = orders.some(({ status }) => status === "pending");
      if (isWaiting() && !isAnyPending) {
        void client.invalidateQueries({ queryKey: ["balance"] });
      }
      setIsWaiting(isAnyPending);
      return { rows: orders, next_cursor };
    },
    refreshMs: () => (isWaiting() ? pendingMs : 0),
  });
  // An order that a link names may be on another page of the list.
  const elsewhere = createQuery(() => ({
    queryKey: ["order", state.openId()],
    queryFn: ({ signal }) =>
      apiGet<typeof orderResponse>("/backend/billing/order/status/", { signal, query: { order_no: state.openId() } }),
    enabled: state.openId() !== "" && list.rows?.every(({ order_no }) => order_no !== state.openId()) === true,
  }));
  return (
    <div class={styles["entry"]}>
      <Show when={isWaiting()}>
        <Notice tone="info">{texts.pendingText}</Notice>
      </Show>
      <DataTable<Order>
        {...list}
        name="orders"
        label={texts.orders}
        state={state}
        columns={columns()}
        rowId={({ order_no }) => order_no}
        elsewhere={elsewhere.data?.order}
        empty={{
          title: texts.noOrders,
          text: texts.noOrdersText,
          actions: (
            <a class="button" href="/console/billing/">
              {texts.plans}
            </a>
          ),
        }}
        panel={{ title: (order) => planNameIn(order, consoleLocale), content: (order) => <OrderFacts order={order} /> }}
      />
    </div>
  );
}

function columns(): readonly Column<Order>[] {
  const texts = billingArea.texts();
  return [
    { id: "order", label: texts.order, card: "title", cell: ({ order_no }) => <code>{order_no}</code> },
    { id: "plan", label: texts.plan, cell: (order) => <bdi>{planNameIn(order, consoleLocale)}</bdi> },
    {
      id: "status",
      label: texts.status,
      card: "badge",
      cell: ({ status }) => <Status tone={tones[status]}>{texts.orderNames[status]}</Status>,
    },
    { id: "amount", label: texts.amount, align: "end", cell: ({ amount_usd }) => formats.usd(amount_usd) },
    { id: "quota", label: texts.quota, align: "end", cell: ({ quota }) => formats.quota(quota) },
    { id: "channel", label: texts.channel, cell: ({ pay_channel }) => texts.channels[pay_channel] },
    { id: "created", label: texts.created, cell: ({ created_at }) => formats.dateTime(created_at) },
  ];
}

function OrderFacts(props: { readonly order: Order }): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const cancel = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof orderResponse>("/backend/billing/order/cancel/", { order_no: props.order.order_no }),
    onSuccess: () => {
      showToast(texts.orderCancelled);
      void client.invalidateQueries({ queryKey: ["orders"] });
    },
  }));
  const facts = () => {
    const { order } = props;
    return [
      { name: texts.order, value: <CopyText text={order.order_no} label={texts.order} /> },
      { name: texts.status, value: <Status tone={tones[order.status]}>{texts.orderNames[order.status]}</Status> },
      { name: texts.amount, value: formats.usd(order.amount_usd) },
      ...(order.coupon_code === null ? [] : [{ name: texts.coupon, value: <code>{order.coupon_code}</code> }]),
      { name: texts.quota, value: formats.quota(order.quota) },
      { name: texts.channel, value: order.is_mock ? texts.channels.mock : texts.channels[order.pay_channel] },
      ...(order.vendor === null ? [] : [{ name: texts.vendor, value: methodName(order.vendor) }]),
      { name: texts.created, value: formats.dateTime(order.created_at) },
      ...(order.settled_at === null
        ? [{ name: texts.expires, value: formats.dateTime(order.expires_at) }]
        : [
            {
              name: texts.paid,
              value: `${formats.dateTime(order.settled_at)}${order.is_paid_late ? `, ${texts.late}` : ""}`,
            },
          ]),
    ];
  };
  return (
    <>
      <Facts facts={facts()} />
      <Show when={cancel.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <Show when={props.order.status === "pending"}>
        <p>
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            {texts.cancelOrder}
          </Button>
        </p>
      </Show>
    </>
  );
}
