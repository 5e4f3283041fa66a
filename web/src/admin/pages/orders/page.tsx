import { createSignal, type JSX, Show } from "solid-js";
import { Dialog } from "../../../kit/dialog.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { type OrderRow, orderColumns } from "../../columns/billing-columns.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { nameInRow } from "../../parts/row-actions.tsx";
import { t } from "../../translate.ts";
import { orderStatuses, payChannels } from "../../values.ts";
import { canRefund, OrderPanel } from "./order-panel.tsx";
import { RefundForm } from "./refund-form.tsx";
import { ResolveForm } from "./resolve-form.tsx";

const titleOfRefund = (order: OrderRow | undefined): string =>
  order?.pay_channel === "code" ? t("Take back") : t("Refund");

type Opened = { readonly kind: "resolve" | "refund"; readonly order: OrderRow };

const yesNo = [
  { value: "true", label: t("yes") },
  { value: "false", label: t("no") },
];

const selection = selectionOf("orders", "/backend/admin/order/");

/** All orders; mismatches are found by their marks and decided here. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Orders"));
  const state = createTableState({
    filters: ["order_no", "email", "status", "pay_channel", "is_marked", "is_credited", "plan_code", "coupon_code"],
  });
  const list = createListQuery<OrderRow>({ path: "/backend/admin/order/", state });
  const [opened, setOpened] = createSignal<Opened | null>(null);
  const close = (): void => {
    setOpened(null);
  };
  return (
    <>
      <PageHead title={t("Orders")} text={t("An order is credited once, for a payment that matches it.")} />
      <DataTable
        {...list}
        name="admin-orders"
        label={t("Orders")}
        columns={orderColumns}
        state={state}
        rowId={(order) => order.order_no}
        selection={selection}
        rowActions={(order) => (
          <>
            <Show when={order.review_reason}>
              <ActButton
                operation="/backend/admin/order/resolve/"
                aria-label={nameInRow(t("Decide"), order.order_no)}
                onClick={() => setOpened({ kind: "resolve", order })}
              >
                {t("Decide")}
              </ActButton>
            </Show>
            <Show when={canRefund(order)}>
              <ActButton
                operation="/backend/admin/refund/create/"
                aria-label={nameInRow(titleOfRefund(order), order.order_no)}
                onClick={() => setOpened({ kind: "refund", order })}
              >
                {titleOfRefund(order)}
              </ActButton>
            </Show>
          </>
        )}
        filters={[
          { id: "order_no", label: t("Order"), isSearch: true },
          { id: "email", label: t("Payer's e-mail"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(orderStatuses) },
          { id: "pay_channel", label: t("Payment method"), options: optionsOf(payChannels) },
          { id: "plan_code", label: t("Plan code"), isSearch: true },
          { id: "coupon_code", label: t("Coupon"), isSearch: true },
          { id: "is_marked", label: t("Needs review"), options: yesNo },
          { id: "is_credited", label: t("Paid and credited"), options: yesNo },
        ]}
        empty={{ title: t("No orders yet"), text: t("They appear here when someone buys a plan.") }}
        panel={{
          title: (order) => order.order_no,
          content: (order) => (
            <OrderPanel
              order={order}
              onResolve={() => setOpened({ kind: "resolve", order })}
              onRefund={() => setOpened({ kind: "refund", order })}
            />
          ),
        }}
      />
      <Dialog
        isOpen={opened() !== null}
        onClose={close}
        title={opened()?.kind === "refund" ? titleOfRefund(opened()?.order) : t("Decide on this order")}
      >
        <Show when={opened()} keyed>
          {({ kind, order }) =>
            kind === "refund" ? (
              <RefundForm order={order} onDone={close} />
            ) : (
              <ResolveForm order={order} onDone={close} />
            )
          }
        </Show>
      </Dialog>
    </>
  );
}
