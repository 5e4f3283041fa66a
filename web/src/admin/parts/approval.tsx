import type { Effects as ActEffects, demands, EffectName } from "@sluice/contracts/approvals";
import { priceColumns, priceEffect } from "@sluice/contracts/priced-units";
import { type JSX, Match, Switch } from "solid-js";
import { Facts } from "../../kit/card.tsx";
import { Notice } from "../../kit/states.tsx";
import { formats } from "../formats.ts";
import { shownMoment, shownWord } from "../shown.ts";
import { priceLabels } from "../unit-texts.ts";
import { createMe } from "./rights.tsx";

const priceEffectLabels = Object.fromEntries(
  priceColumns.map((price) => [priceEffect(price), priceLabels[price]]),
) as Record<ReturnType<typeof priceEffect>, string>;

const effectLabels: Readonly<Record<EffectName, string>> = {
  user_email: "User",
  gateway_user_id: "Account id",
  amount_quota: "Amount",
  balance_before_quota: "Balance before",
  balance_after_quota: "Balance after",
  order_no: "Order",
  refund_no: "Refund",
  refund_usd: "Refund",
  refund_amount_usd: "Refund amount",
  outcome: "Outcome",
  taken_quota: "Quota deducted",
  given_back_quota: "Quota returned",
  credited_quota: "Quota credited",
  decision: "Decision",
  sign_in_provider: "Service",
  sign_in_provider_is: "It is",
  issuer: "Issuer",
  registration_before: "Who could register",
  registration_after: "Who can register",
  domains_before: "Domains before",
  domains_after: "Domains after",
  refused_domains_before: "Refused domains before",
  refused_domains_after: "Refused domains after",
  credit_limits_before: "Limits of credit before",
  credit_limits_after: "Limits of credit after",
  proof_before: "Proof of work before",
  proof_after: "Proof of work after",
  invitation: "Invitation",
  uses: "Uses",
  username: "Admin",
  email: "E-mail",
  role_before: "Role before",
  role_after: "Role after",
  setting: "Setting",
  value_before: "Value before",
  value_after: "Value after",
  secret: "Secret",
  secret_is: "It is",
  multiplier_before: "Multiplier before",
  multiplier_after: "Multiplier after",
  group: "Group",
  visibility: "Visibility",
  users: "Users",
  balance_lost_quota: "Balance that is lost",
  closes_at: "Closed on",
  status_before: "Status before",
  status_after: "Status after",
  plan_code: "Plan",
  plan_kind: "Kind",
  plan_status: "Status",
  price_before_usd: "Price before",
  price_after_usd: "Price after",
  grant_before_quota: "Grants before",
  grant_after_quota: "Grants after",
  amount_from_usd: "Chosen amounts from",
  amount_to_usd: "Chosen amounts to",
  codes: "Codes",
  coupon: "Coupon",
  discount: "Gives",
  each_quota: "Each grants",
  model: "Model",
  model_is: "It is",
  channel: "Channel",
  new_models: "New models, USD per million",
  ...priceEffectLabels,
  price_long_prompt: "Long prompts",
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
        <Notice tone="bad">This exceeds an admin's limit, at once or per day. A super-admin can do it.</Notice>
      </Match>
      <Match when={props.demand === "second_person"}>
        <Notice tone="warn">This waits until another super-admin has approved it.</Notice>
      </Match>
    </Switch>
  );
}
