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
import { gatewayName, type OrderRow } from "../../columns/billing-columns.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { DemandNotice } from "../../parts/approval.tsx";
import { orAbsent } from "../../parts/field-values.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { waitingText } from "../../parts/outcome-text.ts";
import { shownMoment, shownText, shownWord } from "../../shown.ts";
import { said, t } from "../../translate.ts";

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
    initial: { amount_usd: "", reason: "", allow_negative: false },
    check: (values) => reasonFault(values.reason),
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
        showToast(
          t("Refund {number} is {status}.", { number, status: shownWord(status) }),
          status === "failed" ? "bad" : "ok",
        );
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
  /** The button names the amount, once it is that of the input. */
  const action = (): string => {
    const preview = query.data?.preview;
    if (order.pay_channel === "code") {
      return t("Take back now");
    }
    return preview === undefined || query.isFetching || asked() !== orAbsent(form.values().amount_usd)
      ? t("Refund now")
      : t("Refund {amount_usd}", { amount_usd: formats.usd(preview.amount_usd) });
  };
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/refund/create/"
      action={action()}
      tone="danger"
      onCancel={props.onDone}
    >
      <Show
        when={order.pay_channel !== "code"}
        fallback={<Notice tone="info">{t("Nobody paid for this order: what its code granted is taken back.")}</Notice>}
      >
        <TextField
          label={t("Amount, USD")}
          hint={t("If empty, everything that is left is refunded.")}
          inputmode="decimal"
          autocomplete="off"
          {...form.text("amount_usd")}
          onInput={onAmount}
        />
      </Show>
      <div aria-live="polite" aria-busy={query.isFetching} class="section-stack">
        <Switch fallback={<LoadingPart />}>
          <Match when={query.isError}>
            <ErrorState title={t("No preview available")} error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.preview}>
            {(preview) => (
              <RefundFacts order={order} preview={preview()} mayGoNegative={form.values().allow_negative} />
            )}
          </Match>
        </Switch>
      </div>
      <ReasonField form={form} />
      <Checkbox
        label={t("Refund even if the balance was partly used")}
        hint={t("The balance may go below zero.")}
        {...form.flag("allow_negative")}
      />
    </AdminForm>
  );
}

/** The effects of a refund, or the reasons why it would be refused. */
function RefundFacts(props: {
  readonly order: OrderRow;
  readonly preview: Preview;
  readonly mayGoNegative: boolean;
}): JSX.Element {
  const balance = (): string => {
    const { remaining_before: before, remaining_after: after } = props.preview;
    return before === null || after === null
      ? t("none: the order was not claimed")
      : t("{before} becomes {after}", { before: formats.quota(before), after: formats.quota(after) });
  };
  const taken = (): string => {
    const { quota, quota_used: used, is_month_over: isMonthOver } = props.preview;
    if (isMonthOver) {
      return t("nothing: the month is over, and what was not used has expired");
    }
    return BigInt(used) > 0n
      ? t("{quota}, including {used} already used", { quota: formats.quota(quota), used: formats.quota(used) })
      : formats.quota(quota);
  };
  return (
    <>
      <DemandNotice demand={props.preview.demand} />
      <For each={props.preview.problems}>
        {(problem) => (
          <Notice tone={problem.is_overridable ? "warn" : "bad"}>
            {said(problem.message)}
            {problem.is_overridable && props.mayGoNegative ? t(" It goes ahead anyway.") : ""}
            {problem.is_overridable && !props.mayGoNegative ? t(" It is refused unless you allow it below.") : ""}
          </Notice>
        )}
      </For>
      <Facts
        facts={[
          { name: t("Payer"), value: shownText(props.order.email) },
          {
            name: t("Paid"),
            value: t("{paid_usd} by {gateway}", {
              paid_usd: formats.usd(props.preview.paid_usd),
              gateway: props.preview.gateway === null ? t("nobody") : gatewayName(props.preview.gateway),
            }),
          },
          { name: t("Refunded so far"), value: formats.usd(props.preview.refunded_usd) },
          {
            name: t("Refund now"),
            value: t("{amount_usd} of the remaining {left_usd}", {
              amount_usd: formats.usd(props.preview.amount_usd),
              left_usd: formats.usd(props.preview.left_usd),
            }),
          },
          { name: t("Deducted from the balance"), value: taken() },
          { name: t("Balance"), value: balance() },
          ...(props.preview.leased !== null && BigInt(props.preview.leased) > 0n
            ? [
                {
                  name: t("Leased for running calls"),
                  value: t("{leased}, not in the balance", { leased: formats.quota(props.preview.leased) }),
                },
              ]
            : []),
          ...(props.preview.period_end === null
            ? []
            : [
                {
                  name: t("Month ends"),
                  value: `${shownMoment(props.preview.period_end)}${props.preview.is_month_taken ? t("; with this refund a month earlier") : ""}`,
                },
              ]),
        ]}
      />
    </>
  );
}
