import type { saveLimitsOutput } from "@sluice/contracts/account-limits";
import { For, type JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { explainLimitsPath, type Limits, limitLabels, limitNames } from "./limits.ts";

/** Of everyone, of each account in a group, or of one account. */
export type LimitsScope =
  | { readonly scope: "default" }
  | { readonly scope: "group"; readonly group_name: string }
  | { readonly scope: "user"; readonly user_id: string };

const shown = (value: number | null | undefined): string => (value == null ? "" : String(value));

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
      reason: "",
    },
    check: (values) => ({
      ...Object.fromEntries(
        limitNames
          .filter((name) => !/^([1-9]\d{0,9})?$/.test(values[name].trim()))
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
            label={limitLabels[name]}
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
