import type { planList } from "@sluice/contracts/admin-lists/billing";
import type { createBatchOutput } from "@sluice/contracts/codes";
import type { ListResponse, RowOf } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { apiGet, apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { rich, t } from "../../translate.ts";
import { plansPath } from "../plans/plan.ts";
import { batchesPath } from "./batch.ts";

type Plan = RowOf<typeof planList>;

const countMax = 10_000;
const isWhole = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

/** Makes a batch of codes; what it can grant in all is shown before. */
export function BatchForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(batchesPath);
  const planQuery = createQuery(() => ({
    queryKey: [plansPath, "choice"],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${plansPath}list/`, { query: { limit: 100, status: "active" }, signal }) as Promise<ListResponse<Plan>>,
  }));
  const plans = () => (planQuery.data?.rows ?? []).filter(({ own_amount }) => own_amount === null);
  // One key for this form: pressing twice makes one batch.
  const idempotencyKey = newIdempotencyKey();
  const form = createForm({
    initial: { name: "", note: "", plan_code: "", quota: "", count: "100", is_once_per_user: false, expires_on: "" },
    check: ({ name, plan_code, quota, count }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...(plan_code !== "" || (quotaOfUsd(quota) ?? 0n) > 0n
        ? {}
        : { quota: t("Enter an amount in US dollars above 0.") }),
      ...(isWhole(count) && Number(count) <= countMax ? {} : { count: t("Enter 1 to {countMax}.", { countMax }) }),
    }),
    body: (values) => ({
      name: values.name,
      note: values.note,
      ...(values.plan_code === ""
        ? { quota: String(quotaOfUsd(values.quota) ?? 0n) }
        : { plan_code: values.plan_code }),
      count: Number(values.count),
      is_once_per_user: values.is_once_per_user,
      expires_at: values.expires_on === "" ? null : `${values.expires_on}T23:59:59Z`,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof createBatchOutput>(`${batchesPath}create/`, body, { idempotencyKey });
      await refresh();
      showToast(
        outcomeText(answer, ({ batch }) => t("{count} codes were created.", { count: formats.number(batch.count) })),
      );
      props.onDone();
    },
  });
  const each = (): bigint | null => {
    const { plan_code: code, quota } = form.values();
    const plan = plans().find(({ plan_code }) => plan_code === code);
    return plan === undefined ? quotaOfUsd(quota) : BigInt(plan.quota);
  };
  const total = (): bigint | null => {
    const { count } = form.values();
    const quota = each();
    return quota === null || !isWhole(count) ? null : quota * BigInt(count);
  };
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/code-batch/create/"
      action={t("Create codes")}
      onCancel={props.onDone}
    >
      <TextField
        label={t("Name")}
        autocomplete="off"
        hint={t("Customers see it in their orders, such as “Gift card 10”.")}
        {...form.text("name")}
      />
      <FieldRow>
        <ChoiceField
          label={t("Each grants")}
          options={[
            { value: "", label: t("balance") },
            ...plans().map(({ plan_code, name }) => ({ value: plan_code, label: t("the plan {name}", { name }) })),
          ]}
          {...form.text("plan_code")}
        />
        <Show when={form.values().plan_code === ""}>
          <TextField label={t("Balance, USD")} inputmode="decimal" autocomplete="off" {...form.text("quota")} />
        </Show>
      </FieldRow>
      <FieldRow>
        <TextField label={t("Codes")} inputmode="numeric" autocomplete="off" {...form.text("count")} />
        <TextField
          label={t("Valid until")}
          optional={t("optional")}
          type="date"
          hint={t("The end of this day, UTC.")}
          {...form.text("expires_on")}
        />
      </FieldRow>
      <Checkbox label={t("A user can redeem only one of them")} {...form.flag("is_once_per_user")} />
      <TextArea
        label={t("Note")}
        optional={t("optional")}
        hint={t("Only admins see it, for example the name of the shop.")}
        {...form.text("note")}
      />
      <Show when={total()}>
        {(quota) => (
          <Notice tone="info">{rich("Together they can grant {quota}.", { quota: formats.quota(quota()) })}</Notice>
        )}
      </Show>
      <SecondPersonNotice what={t("A batch above an admin's limit waits")} />
    </AdminForm>
  );
}
