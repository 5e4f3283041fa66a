import type { manualAdjustOutput } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { createAction } from "../../parts/actions.ts";
import { DemandNotice } from "../../parts/approval.tsx";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { waitingText } from "../../parts/outcome-text.ts";
import { rich, t } from "../../translate.ts";
import { UserPicker } from "./user-picker.tsx";

type Answer = ResponseOf<typeof manualAdjustOutput>;
type Done = Exclude<Answer, { readonly approval: unknown }>;

const path = "/backend/admin/manual-adjust/";

/** Quota from a typed amount in US dollars, below 0 with a minus; null if it is not an amount. */
function amountOf(typed: string): bigint | null {
  const text = typed.trim();
  const amount = quotaOfUsd(text.replace(/^-\s*/, ""));
  return amount === null || !text.startsWith("-") ? amount : -amount;
}

/** First a preview, then the change itself, under one idempotency key so that it can't happen twice. */
export function AdjustCard(): JSX.Element {
  const [params] = useSearchParams();
  const given = params["gateway_user_id"];
  const [preview, setPreview] = createSignal<Done | null>(null);
  const [result, setResult] = createSignal<Done | null>(null);
  const [key, setKey] = createSignal(newIdempotencyKey());
  const action = createAction(path, "/backend/admin/user/", "/backend/admin/user/detail/");
  const form = createForm({
    initial: {
      gateway_user_id: typeof given === "string" ? given : "",
      amount: "",
      reason: "",
      allow_negative: false,
    },
    check: (values) => ({
      ...(/^[1-9]\d*$/.test(values.gateway_user_id)
        ? {}
        : { gateway_user_id: t("Enter the ID of the account, a number.") }),
      ...((amountOf(values.amount) ?? 0n) === 0n
        ? { amount: t("Enter an amount in US dollars other than 0; use a minus to deduct.") }
        : {}),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      setResult(null);
      setKey(newIdempotencyKey());
      const foreseen = await send(values, key(), true);
      setPreview("approval" in foreseen ? null : foreseen);
    },
  });
  const apply = async (): Promise<string> => {
    const answer = await send(form.values(), key(), false);
    setPreview(null);
    form.reset({ ...form.values(), amount: "", reason: "", allow_negative: false });
    if ("approval" in answer) {
      return waitingText(answer.approval);
    }
    setResult(answer);
    return answer.is_new ? t("The balance was adjusted.") : t("This was already done; nothing was applied twice.");
  };
  const isDeduction = (): boolean => BigInt(preview()?.amount ?? 0) < 0n;
  return (
    <Card title={t("Adjust balance")}>
      <UserPicker onPick={(user) => form.set("gateway_user_id", String(user.gateway_user_id))} />
      <AdminForm form={form} operation={null} action={t("Preview")}>
        <FieldRow>
          <TextField label={t("Account ID")} inputmode="numeric" autocomplete="off" {...form.text("gateway_user_id")} />
          <TextField
            label={t("Amount, USD")}
            hint={t("Use a minus to deduct.")}
            inputmode="text"
            autocomplete="off"
            {...form.text("amount")}
          />
        </FieldRow>
        <ReasonField form={form} hint={t("Recorded in the audit log and the ledger.")} />
        <Checkbox
          label={t("Allow a negative balance")}
          hint={t("The balance may go below zero; calls are refused until it is positive again.")}
          {...form.flag("allow_negative")}
        />
      </AdminForm>
      <Show when={result()}>{(answer) => <Result answer={answer()} idempotencyKey={key()} />}</Show>
      <ConfirmDialog
        isOpen={preview() !== null}
        onClose={() => setPreview(null)}
        title={t("Adjust this balance")}
        action={isDeduction() ? t("Deduct") : t("Add")}
        tone={isDeduction() ? "bad" : "plain"}
        isBusy={action.isBusy()}
        onConfirm={() => void action.run(apply)}
      >
        <Show when={preview()}>
          {(answer) => (
            <div class="form">
              <DemandNotice demand={answer().demand} />
              <Comparison answer={answer()} />
            </div>
          )}
        </Show>
      </ConfirmDialog>
    </Card>
  );
}

async function send(
  values: {
    readonly gateway_user_id: string;
    readonly amount: string;
    readonly reason: string;
    readonly allow_negative: boolean;
  },
  idempotencyKey: string,
  isPreview: boolean,
): Promise<Answer> {
  const amount = String(amountOf(values.amount) ?? 0n);
  const body = { ...values, amount, reason: values.reason.trim(), dry_run: isPreview };
  return await apiPost<typeof manualAdjustOutput>(path, body, { idempotencyKey });
}

/** Whose account it is, as the admin may have typed its number. */
function ownerOf({ owner, gateway_user_id: id }: Done): string {
  return owner === null ? t("Account {id}", { id }) : t("{owner}, account {id}", { owner, id });
}

function Comparison(props: { readonly answer: Done }): JSX.Element {
  return (
    <Facts
      facts={[
        { name: t("Account"), value: ownerOf(props.answer) },
        { name: t("Amount"), value: formats.quota(props.answer.amount) },
        { name: t("Before"), value: formats.quota(props.answer.remaining_before) },
        { name: t("After"), value: formats.quota(props.answer.remaining_after) },
      ]}
    />
  );
}

function Result(props: { readonly answer: Done; readonly idempotencyKey: string }): JSX.Element {
  return (
    <Notice tone="ok">
      <span>
        {rich("{owner}: {remaining_before} became {remaining_after}. Idempotency key {idempotencyKey}", {
          owner: ownerOf(props.answer),
          remaining_before: formats.quota(props.answer.remaining_before),
          remaining_after: formats.quota(props.answer.remaining_after),
          idempotencyKey: <code>{props.idempotencyKey}</code>,
        })}
      </span>
    </Notice>
  );
}
