import type { saveLimitsOutput } from "@sluice/contracts/account-limits";
import { For, type JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { usdOfQuota } from "../../../i18n/format.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { explainLimitsPath, isSpend, type Limits, limitLabels, limitNames } from "./limits.ts";

/** Of everyone, of each account in a group or with a plan, or of one account. */
export type LimitsScope =
  | { readonly scope: "default" }
  | { readonly scope: "group"; readonly group_name: string }
  | { readonly scope: "plan"; readonly plan_code: string }
  | { readonly scope: "user"; readonly user_id: string }
  | { readonly scope: "organisation"; readonly organisation_id: string };

const shown = (value: number | null | undefined): string => (value == null ? "" : String(value));

const spendHint = (typed: string): string =>
  /^\d{1,15}$/.test(typed.trim())
    ? `${usdOfQuota(typed.trim())} US dollars, in UTC`
    : "By the calendar in UTC. 500,000 are one US dollar.";

/** Replaces all limits of a scope; empty fields limit nothing. */
export function LimitsForm(props: {
  readonly of: LimitsScope;
  readonly limits: Limits | null;
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(explainLimitsPath, "/backend/admin/audit/");
  const form = createForm({
    initial: {
      requests_per_minute: shown(props.limits?.requests_per_minute),
      tokens_per_minute: shown(props.limits?.tokens_per_minute),
      concurrency_max: shown(props.limits?.concurrency_max),
      spend_per_day: shown(props.limits?.spend_per_day),
      spend_per_month: shown(props.limits?.spend_per_month),
      reason: "",
    },
    check: (values) => ({
      ...Object.fromEntries(
        limitNames
          .filter((name) => !/^([1-9]\d{0,14})?$/.test(values[name].trim()))
          .map((name) => [name, "Enter a whole number, or leave this empty for no limit."]),
      ),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      const limits = limitNames.map((name) => [name, values[name].trim() === "" ? null : Number(values[name])]);
      await apiPost<typeof saveLimitsOutput>("/backend/admin/limit/save/", {
        ...props.of,
        ...Object.fromEntries(limits),
        reason: values.reason.trim(),
      });
      await refresh();
      showToast("The limits were saved and apply now.");
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/limit/save/" action="Save limits" onCancel={props.onDone}>
      <For each={limitNames}>
        {(name) => (
          <TextField
            label={isSpend(name) ? `${limitLabels[name]}, quota` : limitLabels[name]}
            hint={isSpend(name) ? spendHint(form.values()[name]) : undefined}
            optional="optional"
            inputmode="numeric"
            autocomplete="off"
            {...form.text(name)}
          />
        )}
      </For>
      <ReasonField form={form} />
    </AdminForm>
  );
}
