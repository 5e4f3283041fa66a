import type { resolveOrderOutput } from "@sluice/contracts/billing";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { OrderRow } from "../../columns/billing-columns.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent } from "../../parts/field-values.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { waitingText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";

const decisions = [
  { value: "settle", label: t("Settle: accept the payment and add the balance") },
  { value: "refund", label: t("Refund: return the payment") },
  { value: "cancel", label: t("Cancel the order") },
  { value: "dismiss", label: t("Dismiss: change nothing, remove the mark") },
];

/** What the button says and looks like for a decision. */
const buttons: Readonly<Record<string, { readonly action: string; readonly tone: "primary" | "danger" }>> = {
  settle: { action: t("Settle"), tone: "primary" },
  refund: { action: t("Refund"), tone: "danger" },
  cancel: { action: t("Cancel the order"), tone: "danger" },
  dismiss: { action: t("Dismiss"), tone: "primary" },
};
const undecided = { action: t("Decide"), tone: "primary" } as const;

/** Decides on an order whose payment did not match; recorded with its reason. */
export function ResolveForm(props: { readonly order: OrderRow; readonly onDone: () => void }): JSX.Element {
  const { order } = props;
  const refresh = useRefresh("/backend/admin/order/", "/backend/admin/payment/", "/backend/admin/refund/");
  const form = createForm({
    initial: { action: "", transaction_id: order.transaction_id ?? "", reason: "" },
    check: (values) => ({
      ...(values.action === "" ? { action: t("Choose what to do.") } : {}),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      const answer = await apiPost<typeof resolveOrderOutput>("/backend/admin/order/resolve/", {
        order_no: order.order_no,
        action: values.action,
        transaction_id: orAbsent(values.transaction_id),
        reason: values.reason.trim(),
      });
      await refresh();
      if ("approval" in answer) {
        showToast(waitingText(answer.approval));
      } else {
        showToast(answer.is_new ? t("Decision saved.") : t("This was already decided; nothing was applied twice."));
      }
      props.onDone();
    },
  });
  const button = () => buttons[form.values().action] ?? undecided;
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/order/resolve/"
      action={button().action}
      tone={button().tone}
      onCancel={props.onDone}
    >
      <Show when={order.review_reason}>{(reason) => <Notice tone="warn">{shownWord(reason())}</Notice>}</Show>
      <ChoiceField
        label={t("Decision")}
        options={[{ value: "", label: t("Choose") }, ...decisions]}
        {...form.text("action")}
      />
      <Show when={form.values().action === "settle" || form.values().action === "refund"}>
        <SecondPersonNotice
          what={(usd) => t("An amount above {usd} US dollars, in one step or over a day, waits", { usd })}
        />
      </Show>
      <TextField
        label={t("Transaction")}
        optional={t("optional")}
        hint={t("Which payment, if there were several.")}
        autocomplete="off"
        {...form.text("transaction_id")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
