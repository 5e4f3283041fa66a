import type { savePlanOutput } from "@sluice/contracts/billing";
import type { ListResponse } from "@sluice/contracts/lists";
import type { PlanTexts } from "@sluice/contracts/plan-texts";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { usdOfQuota } from "../../../i18n/format.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { Card } from "../../../kit/card.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { shownCount } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { planKinds, planStatuses } from "../../values.ts";
import { type Group, groupsPath } from "../groups/group.ts";
import { type Plan, plansPath } from "./plan.ts";
import { linesOf } from "./plan-lines.ts";
import { PlanTextFields, sentTexts } from "./plan-text-fields.tsx";

type Values = {
  readonly plan_code: string;
  readonly name: string;
  readonly kind: string;
  readonly price_usd: string;
  readonly quota: string;
  readonly description: string;
  readonly features: string;
  readonly texts: PlanTexts;
  readonly sort_order: string;
  readonly status: string;
  /** Empty for none. */
  readonly group_name: string;
  readonly pricing: string;
  readonly renews: string;
  readonly "own_amount.min_usd": string;
  readonly "own_amount.max_usd": string;
  readonly "own_amount.step_usd": string;
};

const pricings = [
  { value: "fixed", label: t("a fixed price") },
  { value: "chosen", label: t("an amount that the buyer chooses") },
];

const renewals = [
  { value: "no", label: t("one month at a time") },
  { value: "yes", label: t("one month, or every month by card until they cancel") },
];

const hasOwnAmount = ({ kind, pricing }: Pick<Values, "kind" | "pricing">): boolean =>
  kind === "wallet_balance" && pricing === "chosen";

const textsOf = (plan: Plan | null): PlanTexts => plan?.texts ?? {};

function valuesOf(plan: Plan | null): Values {
  return {
    plan_code: plan?.plan_code ?? "",
    name: plan?.name ?? "",
    kind: plan?.kind ?? "wallet_balance",
    price_usd: plan?.price_usd ?? "",
    quota: plan === null ? "" : usdOfQuota(plan.quota),
    description: plan?.description ?? "",
    features: plan?.features.join("\n") ?? "",
    texts: textsOf(plan),
    sort_order: String(plan?.sort_order ?? 0),
    status: plan?.status ?? "hidden",
    group_name: plan?.group_name ?? "",
    pricing: plan?.own_amount == null ? "fixed" : "chosen",
    renews: plan?.renews === true ? "yes" : "no",
    "own_amount.min_usd": plan?.own_amount?.min_usd ?? "5.00",
    "own_amount.max_usd": plan?.own_amount?.max_usd ?? "1000.00",
    "own_amount.step_usd": plan?.own_amount?.step_usd ?? "1.00",
  };
}

/** Changes a plan as it was loaded, or creates one; the preview shows how buyers will see it. */
export function PlanForm(props: { readonly plan: Plan | null; readonly onDone: () => void }): JSX.Element {
  const { plan } = props;
  const refresh = useRefresh(plansPath, groupsPath);
  const groupList = createQuery(() => ({
    queryKey: [groupsPath, "choice"],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${groupsPath}list/`, { query: { limit: 100 }, signal }) as Promise<ListResponse<Group>>,
  }));
  // The plan's own group is there before the list is loaded.
  const groups = () =>
    groupList.data?.rows ?? (plan?.group_name == null ? [] : [{ name: plan.group_name, multiplier: "1" }]);
  const form = createForm<Values>({
    initial: valuesOf(plan),
    check: ({ quota, sort_order }) => ({
      ...((quotaOfUsd(quota) ?? 0n) > 0n ? {} : { quota: t("Enter an amount in US dollars above 0.") }),
      ...(/^-?\d{1,5}$/.test(sort_order) ? {} : { sort_order: t("Enter a whole number.") }),
    }),
    body: (values) => ({
      plan_code: values.plan_code,
      name: values.name,
      kind: values.kind,
      status: values.status,
      quota: String(quotaOfUsd(values.quota) ?? 0n),
      description: values.description,
      price_usd: values.price_usd.trim(),
      features: linesOf(values.features),
      texts: sentTexts(values.texts),
      sort_order: Number(values.sort_order),
      own_amount: ownAmountOf(values),
      renews: values.kind === "monthly" && values.renews === "yes",
      group_name: values.kind === "monthly" && values.group_name !== "" ? values.group_name : null,
      ...(plan === null ? {} : { version: plan.version }),
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof savePlanOutput>(`${plansPath}save/`, body);
      await refresh();
      showToast(outcomeText(answer, () => t("The plan was saved.")));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/plan/save/"
      action={plan === null ? t("Create plan") : t("Save plan")}
      onCancel={props.onDone}
    >
      <Show when={plan !== null && BigInt(plan.subscribers) > 0n}>
        <Notice tone="info">
          {rich("{subscribers} users have an active month of this plan; their month stays as bought.", {
            subscribers: shownCount(plan?.subscribers ?? 0),
          })}
        </Notice>
      </Show>
      <FieldRow>
        <TextField label={t("Code")} autocomplete="off" disabled={plan !== null} {...form.text("plan_code")} />
        <TextField label={t("Name")} autocomplete="off" {...form.text("name")} />
      </FieldRow>
      <FieldRow>
        <ChoiceField label={t("Kind")} options={planKinds} {...form.text("kind")} />
        <ChoiceField
          label={t("Status")}
          options={planStatuses}
          hint={t("Only active plans can be bought.")}
          {...form.text("status")}
        />
        <TextField label={t("Position")} inputmode="numeric" autocomplete="off" {...form.text("sort_order")} />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Price, USD")} inputmode="decimal" autocomplete="off" {...form.text("price_usd")} />
        <TextField label={t("Grants, USD of balance")} inputmode="decimal" autocomplete="off" {...form.text("quota")} />
      </FieldRow>
      <OwnAmountFields form={form} />
      <Show when={form.values().kind === "monthly"}>
        <ChoiceField
          label={t("Group")}
          options={[
            { value: "", label: t("none") },
            ...groups().map(({ name, multiplier }) => ({
              value: name,
              label: `${name}, × ${formats.decimal(multiplier)}`,
            })),
          ]}
          hint={t(
            "Buyers are in it until their month ends. Give it a higher rank than the groups they have, so that all their keys use it.",
          )}
          {...form.text("group_name")}
        />
        <ChoiceField
          label={t("Customers can pay for")}
          options={renewals}
          hint={t(
            "Monthly payments need the card gateway, which charges this price, tax included. A new price, balance or group applies to current subscribers only after notice by e-mail.",
          )}
          {...form.text("renews")}
        />
      </Show>
      <TextArea label={t("Description")} optional={t("optional")} {...form.text("description")} />
      <TextArea label={t("Features")} optional={t("optional")} hint={t("One per line.")} {...form.text("features")} />
      <PlanTextFields texts={form.values().texts} onChange={(texts) => form.set("texts", texts)} />
      <SecondPersonNotice
        what={
          plan === null
            ? t("More balance for a dollar than it is worth waits")
            : t("More balance for a dollar than now waits")
        }
      />
      <Preview values={form.values()} />
    </AdminForm>
  );
}

function ownAmountOf(values: Values) {
  const trimmed = (name: "min_usd" | "max_usd" | "step_usd") => values[`own_amount.${name}`].trim();
  return hasOwnAmount(values)
    ? { min_usd: trimmed("min_usd"), max_usd: trimmed("max_usd"), step_usd: trimmed("step_usd") }
    : null;
}

function OwnAmountFields(props: { readonly form: Form<Values> }): JSX.Element {
  const { form } = props;
  const field = (name: "min_usd" | "max_usd" | "step_usd", label: string) => (
    <TextField label={label} inputmode="decimal" autocomplete="off" {...form.text(`own_amount.${name}`)} />
  );
  return (
    <Show when={form.values().kind === "wallet_balance"}>
      <ChoiceField
        label={t("Buyers pay")}
        options={pricings}
        hint={t("With an amount that they choose, price and grant are the rate.")}
        {...form.text("pricing")}
      />
      <Show when={hasOwnAmount(form.values())}>
        <FieldRow>
          {field("min_usd", t("Minimum, USD"))}
          {field("max_usd", t("Maximum, USD"))}
          {field("step_usd", t("Step, USD"))}
        </FieldRow>
      </Show>
    </Show>
  );
}

function Preview(props: { readonly values: Values }): JSX.Element {
  const isUsd = (): boolean => /^\d{1,7}(\.\d{1,2})?$/.test(props.values.price_usd.trim());
  return (
    <Card title={t("Preview: {name}", { name: props.values.name || t("no name yet") })}>
      <p>
        <strong>{isUsd() ? formats.usd(props.values.price_usd.trim()) : t("no price yet")}</strong>
        {hasOwnAmount(props.values) ? t(" as the rate of a chosen amount") : ""}
        {props.values.kind === "monthly" ? t(" per month") : ""}
      </p>
      <Show when={props.values.description}>
        <p>{props.values.description}</p>
      </Show>
      <Show when={linesOf(props.values.features).length > 0}>
        <ul>
          <For each={linesOf(props.values.features)}>{(feature) => <li>{feature}</li>}</For>
        </ul>
      </Show>
      <Show when={props.values.status === "hidden"}>
        <p class="muted">{t("Hidden: not shown on the public pages.")}</p>
      </Show>
    </Card>
  );
}
