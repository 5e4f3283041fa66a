import type { adminKeyDetail } from "@sluice/contracts/key-admin";
import { type KeyFieldName, resetPeriods } from "@sluice/contracts/key-fields";
import type { keyResponse } from "@sluice/contracts/keys";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { usdOfQuota } from "../../../i18n/format.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField, optionsOf } from "../../parts/choice-field.tsx";
import { wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { keyPaths } from "./key-paths.ts";

type Detail = ResponseOf<typeof adminKeyDetail>;
type Key = Detail["key"];

const linesOf = (text: string): string[] | null => {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? null : lines;
};

function valuesOf(key: Key) {
  const text = (value: number | string | null): string => (value === null ? "" : String(value));
  return {
    name: key.name,
    quota_limit: key.quota_limit === null ? "" : usdOfQuota(key.quota_limit),
    reset_period: key.reset_period as string,
    requests_per_minute: text(key.requests_per_minute),
    tokens_per_minute: text(key.tokens_per_minute),
    concurrency_max: text(key.concurrency_max),
    allowed_models: key.allowed_models?.join("\n") ?? "",
    allowed_ips: key.allowed_ips?.join("\n") ?? "",
    expires_at: text(key.expires_at),
    group: key.own_group ?? "",
    reason: "",
  };
}

type Values = ReturnType<typeof valuesOf>;

function inputOf(values: Values): Readonly<Partial<Record<KeyFieldName | "group", unknown>>> {
  const quota = quotaOfUsd(values.quota_limit);
  return {
    name: values.name.trim(),
    quota_limit: quota === null ? null : Number(quota),
    reset_period: quota === null ? "none" : values.reset_period,
    requests_per_minute: wholeOrNull(values.requests_per_minute),
    tokens_per_minute: wholeOrNull(values.tokens_per_minute),
    concurrency_max: wholeOrNull(values.concurrency_max),
    allowed_models: linesOf(values.allowed_models),
    allowed_ips: linesOf(values.allowed_ips),
    expires_at: values.expires_at.trim() === "" ? null : values.expires_at.trim(),
    group: values.group === "" ? null : values.group,
  };
}

/** Changes a customer's key as it was loaded, within what its owner could do. Only what was changed is sent. */
export function KeyForm(props: { readonly detail: Detail; readonly onDone: () => void }): JSX.Element {
  const { key, groups } = props.detail;
  const before = valuesOf(key);
  const refresh = useRefresh(...keyPaths);
  const form = createForm({
    initial: before,
    check: ({ reason, quota_limit: limit }) => ({
      ...(limit.trim() === "" || quotaOfUsd(limit) !== null
        ? {}
        : { quota_limit: t("Enter an amount in US dollars.") }),
      ...reasonFault(reason),
    }),
    body: (values) => {
      const changed = Object.entries(inputOf(values)).filter(
        ([name]) => values[name as keyof Values] !== before[name as keyof Values],
      );
      return {
        key_id: key.key_id,
        updated_at: key.updated_at,
        ...Object.fromEntries(changed),
        reason: values.reason.trim(),
      };
    },
    submit: async (_, body) => {
      await apiPost<typeof keyResponse>("/backend/admin/key/save/", body);
      await refresh();
      showToast(t("The key was saved. Its limits apply now."));
      props.onDone();
    },
  });
  const own = { value: "", label: t("as the account") };
  const group = key.own_group;
  const lost = group === null || groups.includes(group) ? [] : [{ value: group, label: t("{group}, lost", { group }) }];
  return (
    <AdminForm form={form} operation="/backend/admin/key/save/" action={t("Save key")} onCancel={props.onDone}>
      <TextField label={t("Name")} autocomplete="off" {...form.text("name")} />
      <FieldRow>
        <TextField
          label={t("Limit, USD")}
          optional={t("no limit")}
          inputmode="decimal"
          autocomplete="off"
          {...form.text("quota_limit")}
        />
        <Show when={form.values().quota_limit.trim() !== ""}>
          <ChoiceField label={t("Limit resets")} options={optionsOf(resetPeriods)} {...form.text("reset_period")} />
        </Show>
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Requests per minute")}
          optional={t("no limit")}
          inputmode="numeric"
          {...form.text("requests_per_minute")}
        />
        <TextField
          label={t("Tokens per minute")}
          optional={t("no limit")}
          inputmode="numeric"
          {...form.text("tokens_per_minute")}
        />
        <TextField
          label={t("Concurrent calls")}
          optional={t("no limit")}
          inputmode="numeric"
          {...form.text("concurrency_max")}
        />
      </FieldRow>
      <ChoiceField
        label={t("Group")}
        hint={t("A group changes prices, so only super-admins can choose another.")}
        options={[own, ...groups.map((name) => ({ value: name, label: name })), ...lost]}
        {...form.text("group")}
      />
      <TextArea
        label={t("Models")}
        optional={t("all")}
        hint={t("One per line.")}
        spellcheck={false}
        {...form.text("allowed_models")}
      />
      <TextArea
        label={t("Allowed IPs")}
        optional={t("all")}
        hint={t("IP addresses or ranges, one per line.")}
        spellcheck={false}
        {...form.text("allowed_ips")}
      />
      <TextField
        label={t("Expires")}
        optional={t("never")}
        hint={t("A time in UTC, like 2027-01-31T23:59:59Z.")}
        autocomplete="off"
        {...form.text("expires_at")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
