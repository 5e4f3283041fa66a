import type { refundAnswer } from "@sluice/contracts/billing";
import type { JSX } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { OrderRow } from "../../columns/billing-columns.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, orAbsent } from "../../parts/form-parts.tsx";

const centsOf = (usd: string): bigint | null => {
  const match = /^(\d{1,7})(?:\.(\d{1,2}))?\d*$/.exec(usd.trim());
  return match === null ? null : BigInt(`${match[1]}${(match[2] ?? "").padEnd(2, "0")}`);
};
const usdOf = (cents: bigint): string => `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`;

/** Gives money of an order back; the quota that it bought is taken back in the same share, before the money goes. */
export function RefundForm(props: { readonly order: OrderRow; readonly onDone: () => void }): JSX.Element {
  const { order } = props;
  const refresh = useRefresh("/backend/admin/order/", "/backend/admin/payment/", "/backend/admin/refund/");
  const paid = centsOf(order.amount_usd) ?? 0n;
  const left = paid - (centsOf(order.refunded_usd) ?? 0n);
  // One key for this form: pressing twice gives money back once.
  const idempotencyKey = newIdempotencyKey();
  const form = createForm({
    initial: { amount_usd: usdOf(left), reason: "", allow_negative: false, word: "" },
    check: (values) => {
      const cents = centsOf(values.amount_usd);
      return {
        ...(cents === null || cents <= 0n || cents > left ? { amount_usd: `At most ${usdOf(left)} US dollars.` } : {}),
        ...(values.reason.trim().length < 3 ? { reason: "Say why, in three characters or more." } : {}),
        ...(values.word === order.order_no ? {} : { word: "Type the number of the order." }),
      };
    },
    submit: async (values) => {
      const { refund } = await apiPost<typeof refundAnswer>(
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
      showToast(`Refund ${refund.refund_no} is ${refund.status}.`, refund.status === "failed" ? "bad" : "ok");
      props.onDone();
    },
  });
  const share = (): string => {
    const cents = centsOf(form.values().amount_usd);
    return cents === null || paid === 0n ? "–" : `about ${formats.quota((BigInt(order.quota) * cents) / paid)}`;
  };
  return (
    <AdminForm form={form} action="Refund now" tone="danger" onCancel={props.onDone}>
      <Facts
        facts={[
          { name: "Paid", value: formats.usd(order.amount_usd) },
          { name: "Given back so far", value: formats.usd(order.refunded_usd) },
          { name: "Quota of the order", value: formats.quota(order.quota) },
          {
            name: "Taken from the ledger",
            value: order.credited_at === null ? "nothing: it was never credited" : share(),
          },
        ]}
      />
      <TextField label="Amount, USD" inputmode="decimal" autocomplete="off" {...form.text("amount_usd")} />
      <TextArea label="Reason" hint="Stands in the audit log." {...form.text("reason")} />
      <Checkbox
        label="Also when the quota was used in part"
        hint="The balance may go below zero."
        {...form.flag("allow_negative")}
      />
      <TextField label={`Type ${order.order_no} to confirm`} autocomplete="off" {...form.text("word")} />
    </AdminForm>
  );
}
