import type { refundOutput, refundPreviewResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, onCleanup, Show, Switch } from "solid-js";
import { apiGet, apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { OrderRow } from "../../columns/billing-columns.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { DemandNotice } from "../../parts/approval.tsx";
import { orAbsent } from "../../parts/field-values.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { waitingText } from "../../parts/outcome-text.ts";
import { shownMoment } from "../../shown.ts";

type Preview = ResponseOf<typeof refundPreviewResponse>["preview"];

const previewPath = "/backend/admin/refund/preview/";
/** Pauses while typing are shorter than this, so that not every digit sends a request. */
const typingMs = 250;

/** Refunds money of an order. The effect on the balance is the backend's preview. */
export function RefundForm(props: { readonly order: OrderRow; readonly onDone: () => void }): JSX.Element {
  const { order } = props;
  const refresh = useRefresh("/backend/admin/order/", "/backend/admin/payment/", "/backend/admin/refund/", previewPath);
  // One key for this form: pressing twice gives money back once.
  const idempotencyKey = newIdempotencyKey();
  const [asked, setAsked] = createSignal<string | undefined>(undefined);
  const query = createQuery(() => ({
    queryKey: [previewPath, order.order_no, asked() ?? ""],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof refundPreviewResponse>(previewPath, {
        query: { order_no: order.order_no, amount_usd: asked() },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  }));
  const form = createForm({
    initial: { amount_usd: "", reason: "", allow_negative: false, word: "" },
    check: (values) => ({
      ...reasonFault(values.reason),
      ...(values.word === order.order_no ? {} : { word: "Type the order number." }),
    }),
    submit: async (values) => {
      const answer = await apiPost<typeof refundOutput>(
        "/backend/admin/refund/create/",
        {
          order_no: order.order_no,
          amount_usd: orAbsent(values.amount_usd),
          reason: values.reason.trim(),
          allow_negative: values.allow_negative,
        },
        { idempotencyKey },
      );
      await refresh();
      if ("approval" in answer) {
        showToast(waitingText(answer.approval));
      } else {
        const { refund_no: number, status } = answer.refund;
        showToast(`Refund ${number} is ${status}.`, status === "failed" ? "bad" : "ok");
      }
      props.onDone();
    },
  });
  let typing: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(typing));
  const amount = form.text("amount_usd");
  const onAmount: typeof amount.onInput = (event) => {
    amount.onInput(event);
    clearTimeout(typing);
    typing = setTimeout(() => setAsked(orAbsent(form.values().amount_usd)), typingMs);
  };
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/refund/create/"
      action={order.pay_channel === "code" ? "Take back now" : "Refund now"}
      tone="danger"
      onCancel={props.onDone}
    >
      <Show
        when={order.pay_channel !== "code"}
        fallback={<Notice tone="info">Nobody paid for this order: what its code granted is taken back.</Notice>}
      >
        <TextField
          label="Amount, USD"
          hint="If empty, everything that is left is refunded."
          inputmode="decimal"
          autocomplete="off"
          {...form.text("amount_usd")}
          onInput={onAmount}
        />
      </Show>
      <div aria-live="polite" aria-busy={query.isFetching} class="section-stack">
        <Switch fallback={<LoadingPart />}>
          <Match when={query.isError}>
            <ErrorState title="No preview available" error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.preview}>
            {(preview) => <RefundFacts preview={preview()} mayGoNegative={form.values().allow_negative} />}
          </Match>
        </Switch>
      </div>
      <ReasonField form={form} />
      <Checkbox
        label="Refund even if the balance was partly used"
        hint="The balance may go below zero."
        {...form.flag("allow_negative")}
      />
      <TextField label={`Type ${order.order_no} to confirm`} autocomplete="off" {...form.text("word")} />
    </AdminForm>
  );
}

/** The effects of a refund, or the reasons why it would be refused. */
function RefundFacts(props: { readonly preview: Preview; readonly mayGoNegative: boolean }): JSX.Element {
  const balance = (): string => {
    const { remaining_before: before, remaining_after: after } = props.preview;
    return before === null || after === null
      ? "none: the order was not claimed"
      : `${formats.quota(before)} becomes ${formats.quota(after)}`;
  };
  const taken = (): string => {
    const { quota, quota_used: used, is_month_over: isMonthOver } = props.preview;
    if (isMonthOver) {
      return "nothing: the month is over, and what was not used has expired";
    }
    return BigInt(used) > 0n
      ? `${formats.quota(quota)}, of which ${formats.quota(used)} was used`
      : formats.quota(quota);
  };
  return (
    <>
      <DemandNotice demand={props.preview.demand} />
      <For each={props.preview.problems}>
        {(problem) => (
          <Notice tone={problem.is_overridable ? "warn" : "bad"}>
            {problem.message}
            {problem.is_overridable && props.mayGoNegative ? " It goes ahead anyway." : ""}
            {problem.is_overridable && !props.mayGoNegative ? " It is refused unless you allow it below." : ""}
          </Notice>
        )}
      </For>
      <Facts
        facts={[
          { name: "Paid", value: `${formats.usd(props.preview.paid_usd)} by ${props.preview.gateway ?? "nobody"}` },
          { name: "Refunded so far", value: formats.usd(props.preview.refunded_usd) },
          {
            name: "Refund now",
            value: `${formats.usd(props.preview.amount_usd)} of the remaining ${formats.usd(props.preview.left_usd)}`,
          },
          { name: "Deducted from the balance", value: taken() },
          { name: "Balance", value: balance() },
          ...(props.preview.leased !== null && BigInt(props.preview.leased) > 0n
            ? [
                {
                  name: "Leased for running calls",
                  value: `${formats.quota(props.preview.leased)}, not in the balance`,
                },
              ]
            : []),
          ...(props.preview.period_end === null
            ? []
            : [
                {
                  name: "Month ends",
                  value: `${shownMoment(props.preview.period_end)}${props.preview.is_month_taken ? "; with this refund a month earlier" : ""}`,
                },
              ]),
        ]}
      />
    </>
  );
}
