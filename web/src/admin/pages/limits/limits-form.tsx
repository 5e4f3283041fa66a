import type { LimitName, saveLimitsOutput } from "@sluice/contracts/account-limits";
import { For, type JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { usdOfQuota } from "../../../i18n/format.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { explainLimitsPath, isSpend, type Limits, limitLabels, limitNames } from "./limits.ts";

/** Of everyone, of each account in a group or with a plan, or of one account. */
export type LimitsScope =
  | { readonly scope: "default" }
  | { readonly scope: "group"; readonly group_name: string }
  | { readonly scope: "plan"; readonly plan_code: string }
  | { readonly scope: "user"; readonly user_id: string }
  | { readonly scope: "organisation"; readonly organisation_id: string };

const shown = (name: LimitName, value: number | null | undefined): string =>
  value == null ? "" : isSpend(name) ? usdOfQuota(String(value)) : String(value);

const spendHint = t("By the calendar in UTC.");

/** What a field says: null for no limit, undefined for what is not a limit. */
function limitOf(name: LimitName, typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") {
    return null;
  }
  const value = isSpend(name) ? quotaOfUsd(text) : /^[1-9]\d{0,14}$/.test(text) ? BigInt(text) : null;
  return value === null || value <= 0n ? undefined : Number(value);
}

const problemOf = (name: LimitName): string =>
  isSpend(name)
    ? t("Enter an amount in US dollars above 0, or leave this empty for no limit.")
    : t("Enter a whole number, or leave this empty for no limit.");

/** Replaces all limits of a scope; empty fields limit nothing. */
export function LimitsForm(props: {
  readonly of: LimitsScope;
  readonly limits: Limits | null;
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(explainLimitsPath, "/backend/admin/audit/");
  const form = createForm({
    initial: {
      requests_per_minute: shown("requests_per_minute", props.limits?.requests_per_minute),
      tokens_per_minute: shown("tokens_per_minute", props.limits?.tokens_per_minute),
      concurrency_max: shown("concurrency_max", props.limits?.concurrency_max),
      spend_per_day: shown("spend_per_day", props.limits?.spend_per_day),
      spend_per_month: shown("spend_per_month", props.limits?.spend_per_month),
      reason: "",
    },
    check: (values) => ({
      ...Object.fromEntries(
        limitNames.filter((name) => limitOf(name, values[name]) === undefined).map((name) => [name, problemOf(name)]),
      ),
      ...reasonFault(values.reason),
    }),
    body: (values) => {
      const limits = limitNames.map((name) => [name, limitOf(name, values[name])]);
      return {
        ...props.of,
        ...Object.fromEntries(limits),
        reason: values.reason.trim(),
      };
    },
    submit: async (_, body) => {
      await apiPost<typeof saveLimitsOutput>("/backend/admin/limit/save/", body);
      await refresh();
      showToast(t("The limits were saved and apply now."));
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/limit/save/" action={t("Save limits")} onCancel={props.onDone}>
      <For each={limitNames}>
        {(name) => (
          <TextField
            label={isSpend(name) ? t("{name}, USD", { name: limitLabels[name] }) : limitLabels[name]}
            hint={isSpend(name) ? spendHint : undefined}
            optional={t("optional")}
            inputmode={isSpend(name) ? "decimal" : "numeric"}
            autocomplete="off"
            {...form.text(name)}
          />
        )}
      </For>
      <ReasonField form={form} />
    </AdminForm>
  );
}
