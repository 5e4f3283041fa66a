import type { changePreviewResponse } from "@sluice/contracts/change-preview";
import { type ConsequenceKind, consequenceDays, type PreviewedOperation } from "@sluice/contracts/previewed-operations";
import type { ResponseOf } from "@sluice/contracts/wire";
import { formats } from "../../formats.ts";
import { shownCount } from "../../shown.ts";

export type Preview = ResponseOf<typeof changePreviewResponse>;
type Consequence = Preview["consequences"][number];

const calls = "Calls that begin from now on";

/** When a change takes effect, and what it leaves as it is. */
export const whenTexts: Readonly<Record<PreviewedOperation, string>> = {
  "/backend/admin/model/save/": `${calls} are charged at the saved prices; calls in progress keep theirs.`,
  "/backend/admin/model/fallbacks/save/": `${calls} follow these fallbacks.`,
  "/backend/admin/anthropic/model-map/save/": `${calls} under this name go to the saved model.`,
  "/backend/admin/channel/save/": `${calls} use the saved settings; calls in progress go on.`,
  "/backend/admin/channel/credential/save/": `${calls} can use this credential.`,
  "/backend/admin/ability/save/": `${calls} follow this route; calls in progress go on.`,
  "/backend/admin/exit-node/account/save/": `${calls} through this node can use the account.`,
  "/backend/admin/exit-node/route/save/": `${calls} of this user follow the route.`,
  "/backend/upstream/auth-profiles/save/": "Nothing is routed by a profile.",
  "/backend/admin/group/save/": `${calls} of the group cost the saved multiplier. Keys that name a group their owner no longer has are refused.`,
  "/backend/admin/group/assign/": `${calls} of these accounts use their group with the highest rank.`,
  "/backend/admin/group/remove/": `${calls} with keys that name the group are refused; other keys use the group with the highest rank that is left.`,
  "/backend/admin/plan/save/":
    "Purchases from now on. Months already bought stay as they are, and those who pay every month are told by mail before a new price holds for them.",
  "/backend/admin/code-batch/create/": "The codes can be redeemed at once.",
  "/backend/admin/code-batch/revoke/": "Unused codes can't be redeemed any more. What others have added stays.",
  "/backend/admin/coupon/create/": "Orders from now on can use it, within its dates.",
  "/backend/admin/coupon/revoke/": "Orders from now on can't use it. Orders that have it keep it.",
  "/backend/admin/invoice/terms/save/":
    "Orders from now on are invoiced on these terms; issued invoices stay as they are.",
  "/backend/admin/channel-cost/save/": "Margins in the reports are computed with it. Customers pay the same.",
  "/backend/admin/limit/save/": `${calls} are held to these limits.`,
  "/backend/admin/user/save/": "At once. A suspended user can't log in, and calls with their keys are refused.",
  "/backend/admin/key/save/": `${calls} with the key are held to this.`,
  "/backend/admin/key/lock/": `${calls} with the key are refused until you unlock it.`,
  "/backend/admin/key/unlock/": `${calls} with the key are accepted again.`,
  "/backend/admin/key/revoke/": `${calls} with the key are refused, for good.`,
  "/backend/admin/organisation/create/": "At once. Its balance is empty, and its owner can invite members.",
  "/backend/admin/organisation/save/":
    "At once. While suspended, it makes no calls and places no orders, and its members only read.",
  "/backend/admin/settings/save/": "At once here, and within a second on every replica.",
  "/backend/admin/secret/save/":
    "At once here, and within five seconds on every replica. The secret it replaces is lost.",
  "/backend/admin/sign-in-provider/remove/":
    "Nobody can sign in with it any more. Links stay, and work again with a service of the same issuer.",
  "/backend/admin/registration/save/": "Registrations from now on. Accounts that exist stay.",
  "/backend/admin/registration/invitation/create/": "The link works at once.",
  "/backend/admin/registration/invitation/revoke/": "The link stops working. Accounts that used it stay.",
  "/backend/admin/admin/save/": "At once, in the sessions that are open too.",
  "/backend/admin/incident/create/": "Everyone sees it on the status page at once.",
  "/backend/admin/incident/update/": "Everyone sees it on the status page at once.",
  "/backend/admin/branding/text/save/": "The public pages show it within a minute.",
  "/backend/admin/branding/legal/save/": "It is public at once, and earlier versions stay readable.",
  "/backend/admin/mail/template/save/": "Mails from now on are written with it.",
  "/backend/admin/lead/save/": "Only admins see it; nothing is sent.",
};

type Count = (number: string, names: string) => string;

const counted =
  (one: string, more: string): Count =>
  (number, names) =>
    `${number} ${number === "1" ? one : more}${names === "" ? "" : `: ${names}`}.`;

/** A sentence for each kind; those of calls are one sentence together. */
const sentences: Readonly<Partial<Record<ConsequenceKind, Count>>> = {
  accounts: counted("account is affected", "accounts are affected"),
  keys: counted("live key is affected", "live keys are affected"),
  members: counted("member", "members"),
  sold_months: counted("month that was sold stays as bought", "months that were sold stay as bought"),
  renewals: counted("customer pays for it every month", "customers pay for it every month"),
  open_orders: counted("open order can still be paid", "open orders can still be paid"),
  kept_renewals: counted("subscription goes on, charged as before", "subscriptions go on, charged as before"),
  paused_top_ups: counted(
    "automatic top-up charges nothing until it is on again",
    "automatic top-ups charge nothing until it is on again",
  ),
  open_checkouts: counted(
    "payment that has begun can still be made, and is credited",
    "payments that have begun can still be made, and are credited",
  ),
  linked_users: counted("user signs in with it", "users sign in with it"),
  sessions: counted("open session", "open sessions"),
  unreachable: (_, names) => `Can't be called any more: ${names}.`,
  reachable: (_, names) => `Can be called from then on: ${names}.`,
};

/** What a change affects, a sentence each; what groups lose comes first. */
export function consequenceTexts(consequences: readonly Consequence[]): string[] {
  const others = consequences.flatMap((each) => sentences[each.kind]?.(shownCount(each.count), namesOf(each)) ?? []);
  const used = callsText(consequences);
  return [...others, ...(used === null ? [] : [used])];
}

function namesOf({ names, count }: Consequence): string {
  const left = Number(count) - names.length;
  return [...names, ...(names.length > 0 && left > 0 ? [`${formats.number(left)} more`] : [])].join(", ");
}

function callsText(consequences: readonly Consequence[]): string | null {
  const countOf = (kind: ConsequenceKind): string | null => {
    const found = consequences.find((each) => each.kind === kind);
    return found === undefined ? null : String(found.count);
  };
  const total = countOf("calls");
  if (total === null) {
    return null;
  }
  const named = (kind: ConsequenceKind, word: string, one: string, more: string): string => {
    const number = countOf(kind);
    return number === null ? "" : ` ${word} ${shownCount(number)} ${number === "1" ? one : more}`;
  };
  const charged = countOf("charged_quota");
  return [
    `In the last ${consequenceDays} days: ${shownCount(total)} ${total === "1" ? "call" : "calls"}`,
    named("callers", "of", "account", "accounts"),
    named("calling_keys", "with", "key", "keys"),
    charged === null ? "" : `, charged ${formats.quota(charged)}`,
    ".",
  ].join("");
}

type PriceEffect = NonNullable<Preview["price_effect"]>;
type Shift = Pick<PriceEffect, "charged" | "would_charge">;

/** By what share it changes, for a bracket; nothing without something to compare with. */
function shareOf({ charged, would_charge: would }: Shift): string {
  const [before, after] = [BigInt(charged), BigInt(would)];
  if (before === 0n) {
    return "";
  }
  const share = Number(((after - before) * 10_000n) / before) / 10_000;
  return ` (${share > 0 ? "+" : ""}${formats.percent(share)})`;
}

/** What a new price would have meant: all of it, and the accounts with the largest differences. */
export function priceEffectTexts(effect: PriceEffect | null): string[] {
  if (effect === null) {
    return [];
  }
  const count = BigInt(effect.count);
  const [one, more, verb] =
    effect.of === "calls" ? ["call", "calls", "cost"] : ["purchase", "purchases at its price", "brought"];
  const about = effect.is_exact ? "" : "about ";
  const shift = (each: Shift): string =>
    `${about}${formats.quota(each.would_charge)} instead of ${formats.quota(each.charged)}`;
  const all = `The ${shownCount(effect.count)} ${count === 1n ? one : more} of the last ${effect.days} days would have ${verb} ${shift(effect)}${shareOf(effect)}.`;
  const accounts = effect.accounts.map((each) => `${each.name}: ${shift(each)}${shareOf(each)}`);
  const hint = effect.is_exact
    ? []
    : ["The sums do not say which prompts were long: the price of short ones is assumed."];
  return [all, ...(accounts.length < 1 ? [] : [`Most affected: ${accounts.join("; ")}.`]), ...hint];
}
