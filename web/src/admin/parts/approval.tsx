import type { Effects as ActEffects, demands, EffectName } from "@sluice/contracts/approvals";
import { priceColumns, priceEffect } from "@sluice/contracts/priced-units";
import { type JSX, Match, Switch } from "solid-js";
import { Facts } from "../../kit/card.tsx";
import { Notice } from "../../kit/states.tsx";
import { formats } from "../formats.ts";
import { shownMoment, shownWord } from "../shown.ts";
import { t } from "../translate.ts";
import { priceLabels } from "../unit-texts.ts";
import { createMe } from "./rights.tsx";

const priceEffectLabels = Object.fromEntries(
  priceColumns.map((price) => [priceEffect(price), priceLabels[price]]),
) as Record<ReturnType<typeof priceEffect>, string>;

const effectLabels: Readonly<Record<EffectName, string>> = {
  user_email: t("User"),
  gateway_user_id: t("Account ID"),
  amount_quota: t("Amount"),
  balance_before_quota: t("Balance before"),
  balance_after_quota: t("Balance after"),
  order_no: t("Order"),
  refund_no: t("Refund"),
  refund_usd: t("Refund"),
  refund_amount_usd: t("Refund amount"),
  outcome: t("Outcome"),
  taken_quota: t("Quota deducted"),
  given_back_quota: t("Quota returned"),
  credited_quota: t("Quota credited"),
  decision: t("Decision"),
  sign_in_provider: t("Service"),
  sign_in_provider_is: t("It is"),
  issuer: t("Issuer"),
  registration_before: t("Who could register"),
  registration_after: t("Who can register"),
  domains_before: t("Domains before"),
  domains_after: t("Domains after"),
  refused_domains_before: t("Refused domains before"),
  refused_domains_after: t("Refused domains after"),
  credit_limits_before: t("Limits of credit before"),
  credit_limits_after: t("Limits of credit after"),
  proof_before: t("Proof of work before"),
  proof_after: t("Proof of work after"),
  invitation: t("Invitation"),
  uses: t("Uses"),
  username: t("Admin"),
  email: t("E-mail"),
  role_before: t("Role before"),
  role_after: t("Role after"),
  setting: t("Setting"),
  value_before: t("Value before"),
  value_after: t("Value after"),
  secret: t("Secret"),
  secret_is: t("It is"),
  multiplier_before: t("Multiplier before"),
  multiplier_after: t("Multiplier after"),
  group: t("Group"),
  visibility: t("Visibility"),
  users: t("Users"),
  balance_lost_quota: t("Balance that is lost"),
  closes_at: t("Closed on"),
  status_before: t("Status before"),
  status_after: t("Status after"),
  plan_code: t("Plan"),
  plan_kind: t("Kind"),
  plan_status: t("Status"),
  price_before_usd: t("Price before"),
  price_after_usd: t("Price after"),
  grant_before_quota: t("Grants before"),
  grant_after_quota: t("Grants after"),
  amount_from_usd: t("Chosen amounts from"),
  amount_to_usd: t("Chosen amounts to"),
  codes: t("Codes"),
  coupon: t("Coupon"),
  discount: t("Gives"),
  each_quota: t("Each grants"),
  model: t("Model"),
  model_is: t("It is"),
  channel: t("Channel"),
  new_models: t("New models, USD per million"),
  ...priceEffectLabels,
  price_long_prompt: t("Long prompts"),
};

/** Effects whose values are enumerations; the others are amounts, or names that a person chose. */
const words: ReadonlySet<EffectName> = new Set([
  "decision",
  "outcome",
  "status_before",
  "status_after",
  "plan_kind",
  "plan_status",
  "registration_before",
  "registration_after",
] as const);

function shownEffect(name: EffectName, value: string): string {
  if (name.endsWith("_quota")) {
    return formats.quota(value);
  }
  if (name === "closes_at") {
    return shownMoment(value);
  }
  return name.endsWith("_usd") ? formats.usd(value) : words.has(name) ? shownWord(value) : value;
}

/** What an act does, in words. */
export function Effects(props: { readonly effects: ActEffects }): JSX.Element {
  return (
    <Facts
      facts={(Object.entries(props.effects) as [EffectName, string][]).map(([name, value]) => ({
        name: effectLabels[name],
        value: shownEffect(name, value),
      }))}
    />
  );
}

/** What the action of a form requires, before it is sent. */
export function DemandNotice(props: { readonly demand: (typeof demands)[number] | undefined }): JSX.Element {
  const me = createMe();
  return (
    <Switch>
      <Match when={props.demand !== undefined && props.demand !== "nothing" && me.admin()?.is_super === false}>
        <Notice tone="bad">
          {t("This exceeds an admin's limit, in one step or per day. A super-admin can do it.")}
        </Notice>
      </Match>
      <Match when={props.demand === "second_person"}>
        <Notice tone="warn">{t("This waits until another super-admin has approved it.")}</Notice>
      </Match>
    </Switch>
  );
}
