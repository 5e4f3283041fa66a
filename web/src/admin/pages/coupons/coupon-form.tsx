import type { planList } from "@sluice/contracts/admin-lists/billing";
import type { CouponKind, createCouponOutput } from "@sluice/contracts/coupons";
import type { ListResponse, RowOf } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiGet, apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { plansPath } from "../plans/plan.ts";
import { couponsPath } from "./coupon.ts";

type Plan = RowOf<typeof planList>;

const kinds: readonly { readonly value: CouponKind; readonly label: string }[] = [
  { value: "percent", label: t("a percentage off the price") },
  { value: "amount", label: t("an amount off the price") },
  { value: "bonus", label: t("more balance for the same price") },
];

const isPercent = (text: string): boolean => /^(100|\d{1,2}(\.\d{1,2})?)$/.test(text) && /[1-9]/.test(text);
const isUsd = (text: string): boolean => /^\d{1,7}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text);
const isCount = (text: string): boolean => /^[1-9]\d{0,6}$/.test(text);
const countOf = (text: string): number | null => (text === "" ? null : Number(text));

type Values = {
  readonly code: string;
  readonly kind: string;
  readonly percent: string;
  readonly amount_usd: string;
  readonly minimum_usd: string;
  readonly uses_max: string;
  readonly uses_per_user: string;
};

function faultsOf(values: Values): Partial<Record<keyof Values, string>> {
  const { code, kind, percent, amount_usd: amount, minimum_usd: minimum, uses_max: max, uses_per_user: each } = values;
  const isAmount = kind === "amount";
  const faults: readonly (readonly [keyof Values, boolean, string])[] = [
    ["code", /^[A-Za-z0-9][A-Za-z0-9-]{2,31}$/.test(code.trim()), t("Enter 3 to 32 letters, digits and -.")],
    ["amount_usd", !isAmount || isUsd(amount), t("Enter an amount such as 5.00.")],
    ["percent", isAmount || isPercent(percent), t("Enter a percentage such as 20 or 12.5.")],
    ["minimum_usd", minimum === "" || isUsd(minimum), t("Enter an amount such as 20.00.")],
    ["uses_max", max === "" || isCount(max), t("Enter a number above 0.")],
    ["uses_per_user", each === "" || isCount(each), t("Enter a number above 0.")],
  ];
  return Object.fromEntries(faults.filter(([, isRight]) => !isRight).map(([name, , text]) => [name, text]));
}

/** Makes a coupon. Its terms can't be changed later. */
export function CouponForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(couponsPath);
  // One key for this form: pressing twice makes one coupon.
  const idempotencyKey = newIdempotencyKey();
  const form = createForm({
    initial: {
      ...{ code: "", kind: "percent", percent: "", amount_usd: "", minimum_usd: "", uses_max: "100" },
      ...{ uses_per_user: "1", starts_on: "", expires_on: "", is_first_purchase: false, note: "" },
      plan_codes: [] as readonly string[],
    },
    check: faultsOf,
    body: (values) => ({
      code: values.code,
      kind: values.kind,
      ...(values.kind === "amount" ? { amount_usd: values.amount_usd } : { percent: values.percent }),
      minimum_usd: values.minimum_usd === "" ? null : values.minimum_usd,
      uses_max: countOf(values.uses_max),
      uses_per_user: countOf(values.uses_per_user),
      starts_at: values.starts_on === "" ? null : `${values.starts_on}T00:00:00Z`,
      expires_at: values.expires_on === "" ? null : `${values.expires_on}T23:59:59Z`,
      is_first_purchase: values.is_first_purchase,
      plan_codes: values.plan_codes,
      note: values.note,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof createCouponOutput>(`${couponsPath}create/`, body, { idempotencyKey });
      await refresh();
      showToast(outcomeText(answer, ({ coupon }) => t("The coupon {code} was created.", { code: coupon.code })));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/coupon/create/"
      action={t("Create coupon")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label={t("Code")}
          autocomplete="off"
          hint={t("Customers type it, such as SPRING26.")}
          {...form.text("code")}
        />
        <ChoiceField label={t("It gives")} options={kinds} {...form.text("kind")} />
        <Show
          when={form.values().kind === "amount"}
          fallback={<TextField label={t("Percent")} inputmode="decimal" autocomplete="off" {...form.text("percent")} />}
        >
          <TextField label={t("US dollars")} inputmode="decimal" autocomplete="off" {...form.text("amount_usd")} />
        </Show>
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Uses")}
          optional={t("optional")}
          inputmode="numeric"
          autocomplete="off"
          hint={t("Leave it empty for any number.")}
          {...form.text("uses_max")}
        />
        <TextField
          label={t("Uses per user")}
          optional={t("optional")}
          inputmode="numeric"
          autocomplete="off"
          {...form.text("uses_per_user")}
        />
        <TextField
          label={t("Minimum, US dollars")}
          optional={t("optional")}
          inputmode="decimal"
          autocomplete="off"
          hint={t("The price before the discount.")}
          {...form.text("minimum_usd")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Valid from")}
          optional={t("optional")}
          type="date"
          hint={t("UTC.")}
          {...form.text("starts_on")}
        />
        <TextField
          label={t("Valid until")}
          optional={t("optional")}
          type="date"
          hint={t("The end of this day, UTC.")}
          {...form.text("expires_on")}
        />
      </FieldRow>
      <Checkbox label={t("Only for a first purchase")} {...form.flag("is_first_purchase")} />
      <PlanChoice chosen={form.values().plan_codes} onChange={(codes) => form.set("plan_codes", codes)} />
      <TextArea label={t("Note")} optional={t("optional")} hint={t("Only admins see it.")} {...form.text("note")} />
      <Notice tone="info">
        {t(
          "The terms can't be changed later. Orders that wait for their payment hold a use until they are paid, cancelled or expired.",
        )}
      </Notice>
      <SecondPersonNotice what={t("A coupon with unlimited uses, or above an admin's limit, waits")} />
    </AdminForm>
  );
}

/** The plans that a coupon is for; none chosen are all. */
function PlanChoice(props: {
  readonly chosen: readonly string[];
  readonly onChange: (codes: readonly string[]) => void;
}): JSX.Element {
  const planQuery = createQuery(() => ({
    queryKey: [plansPath, "choice"],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${plansPath}list/`, { query: { limit: 100, status: "active" }, signal }) as Promise<ListResponse<Plan>>,
  }));
  const choose = (code: string, isChosen: boolean): void => {
    const others = props.chosen.filter((each) => each !== code);
    props.onChange(isChosen ? [...others, code] : others);
  };
  return (
    <Show when={(planQuery.data?.rows ?? []).length > 0}>
      <fieldset class="field-group">
        <legend>{t("Plans")}</legend>
        <p class="muted">{t("None chosen: all plans.")}</p>
        <For each={planQuery.data?.rows}>
          {(plan) => (
            <Checkbox
              label={plan.name}
              name="plan_codes"
              checked={props.chosen.includes(plan.plan_code)}
              onChange={(event) => choose(plan.plan_code, event.currentTarget.checked)}
            />
          )}
        </For>
      </fieldset>
    </Show>
  );
}
