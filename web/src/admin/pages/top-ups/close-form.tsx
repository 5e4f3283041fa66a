import type { chargeResponse, closeChargeOutput } from "@sluice/contracts/top-ups";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { DemandNotice } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { waitingText } from "../../parts/outcome-text.ts";
import { shownMoment, shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";

type Charge = ResponseOf<typeof chargeResponse>["charge"];

export const topUpsPath = "/backend/admin/top-up/";
const chargePath = `${topUpsPath}charge/`;

const outcomes = [
  { value: "", label: t("Choose") },
  { value: "charged", label: t("It was charged: credit the payment") },
  { value: "not_charged", label: t("It was not charged: release it") },
];

/** Ends a charge without an answer, by what was found at the gateway; recorded with its reason. */
export function CloseForm(props: { readonly orderNo: string; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(topUpsPath, "/backend/admin/order/", "/backend/admin/payment/", chargePath);
  const query = createQuery(() => ({
    queryKey: [chargePath, props.orderNo],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof chargeResponse>(chargePath, { query: { order_no: props.orderNo }, signal }),
    retry: false,
    staleTime: 0,
  }));
  const form = createForm({
    initial: { outcome: "", transaction_id: "", reason: "" },
    check: ({ outcome, transaction_id: id, reason }) => ({
      ...(outcome === "" ? { outcome: t("Choose what you found at the gateway.") } : {}),
      ...(outcome === "charged" && id.trim() === "" ? { transaction_id: t("Name the payment at the gateway.") } : {}),
      ...reasonFault(reason),
    }),
    submit: async ({ outcome, transaction_id: id, reason }) => {
      const answer = await apiPost<typeof closeChargeOutput>(`${topUpsPath}close/`, {
        order_no: props.orderNo,
        outcome,
        ...(outcome === "charged" ? { transaction_id: id.trim() } : {}),
        reason: reason.trim(),
      });
      await refresh();
      if ("approval" in answer) {
        showToast(waitingText(answer.approval));
      } else {
        showToast(
          outcome === "charged"
            ? t("Order {orderNo} is {status}.", { orderNo: props.orderNo, status: shownWord(answer.status) })
            : t("The charge was released."),
        );
      }
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/top-up/close/"
      action={t("End the charge")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError}>
          <ErrorState title={t("No preview available")} error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.charge}>{(charge) => <ChargeFacts charge={charge()} />}</Match>
      </Switch>
      <ChoiceField label={t("At the gateway")} options={outcomes} {...form.text("outcome")} />
      <Show when={form.values().outcome === "charged"}>
        <TextField
          label={t("Payment")}
          hint={t("Its ID at the gateway, like pi_3Abc.")}
          autocomplete="off"
          {...form.text("transaction_id")}
        />
      </Show>
      <Show when={form.values().outcome === "not_charged"}>
        <Notice tone="warn">
          {t("The order is cancelled. If the balance is still low, the card is charged again.")}
        </Notice>
      </Show>
      <ReasonField form={form} />
    </AdminForm>
  );
}

/** Where to look at the gateway, and what a payment would add. */
function ChargeFacts(props: { readonly charge: Charge }): JSX.Element {
  return (
    <>
      <DemandNotice demand={props.charge.demand} />
      <Show when={props.charge.unclear_since === null}>
        <Notice tone="bad">{t("The gateway is still being asked about this charge, so it can't be ended yet.")}</Notice>
      </Show>
      <Facts
        facts={[
          { name: t("Order"), value: <code>{props.charge.order_no}</code> },
          { name: t("Amount"), value: formats.usd(props.charge.amount_usd) },
          { name: t("Account at the gateway"), value: props.charge.account },
          { name: t("Customer at the gateway"), value: <code>{shownText(props.charge.gateway_customer_id)}</code> },
          { name: t("Begun"), value: shownMoment(props.charge.created_at) },
          { name: t("Unclear since"), value: shownMoment(props.charge.unclear_since) },
          {
            name: t("Balance, if it was charged"),
            value: t("{balance_before_quota} becomes {balance_after_quota}", {
              balance_before_quota: formats.quota(props.charge.balance_before_quota),
              balance_after_quota: formats.quota(props.charge.balance_after_quota),
            }),
          },
        ]}
      />
    </>
  );
}
