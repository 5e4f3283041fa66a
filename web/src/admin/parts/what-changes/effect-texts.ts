import type { changePreviewResponse } from "@sluice/contracts/change-preview";
import { type ConsequenceKind, consequenceDays, type PreviewedOperation } from "@sluice/contracts/previewed-operations";
import { priceColumns } from "@sluice/contracts/priced-units";
import type { ResponseOf } from "@sluice/contracts/wire";
import { formats } from "../../formats.ts";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";

export type Preview = ResponseOf<typeof changePreviewResponse>;
type Consequence = Preview["consequences"][number];

const calls = t("Calls that begin from now on");

/** Only what is sent changes: a status or a limit changes no price. */
function whenOfModel(sent: Readonly<Record<string, unknown>>): string[] {
  const { status, ...others } = sent;
  const names = Object.keys(others).filter((name) => name !== "name" && name !== "updated_at" && name !== "reason");
  const isPrice = (name: string): boolean =>
    name === "long_prompt" || (priceColumns as readonly string[]).includes(name);
  const isPriced = names.some(isPrice);
  return [
    ...(isPriced ? [t("{calls} are charged at the saved prices; calls in progress keep theirs.", { calls })] : []),
    ...(status === "disabled" ? [t("{calls} can't use the model; calls in progress continue.", { calls })] : []),
    ...(status === "enabled" ? [t("{calls} can use the model.", { calls })] : []),
    ...(names.every(isPrice) ? [] : [t("{calls} follow what is saved; calls in progress continue.", { calls })]),
  ];
}

/** When a change takes effect, and what it leaves as it is: of a save that sends only what changes, by what is sent. */
const whenTexts: Readonly<Record<PreviewedOperation, string | typeof whenOfModel>> = {
  "/backend/admin/model/save/": whenOfModel,
  "/backend/admin/model/fallbacks/save/": t("{calls} follow these fallbacks.", { calls }),
  "/backend/admin/anthropic/model-map/save/": t("{calls} under this name go to the saved model.", { calls }),
  "/backend/admin/channel/save/": t("{calls} use the saved settings; calls in progress continue.", { calls }),
  "/backend/admin/channel/credential/save/": t("{calls} can use this credential.", { calls }),
  "/backend/admin/ability/save/": t("{calls} follow this route; calls in progress continue.", { calls }),
  "/backend/admin/exit-node/account/save/": t("{calls} through this node can use the account.", { calls }),
  "/backend/admin/exit-node/route/save/": t("{calls} of this user follow the route.", { calls }),
  "/backend/upstream/auth-profiles/save/": t("Profiles do not affect routing."),
  "/backend/admin/group/save/": t(
    "{calls} of the group cost the saved multiplier. Keys that name a group their owner no longer has are refused.",
    { calls },
  ),
  "/backend/admin/group/assign/": t("{calls} of these accounts use their group with the highest rank.", { calls }),
  "/backend/admin/group/remove/": t(
    "{calls} with keys that name the group are refused; other keys use the group with the highest rank that is left.",
    { calls },
  ),
  "/backend/admin/plan/save/": t(
    "Purchases from now on. Months already bought stay as they are, and subscribers get an e-mail before a new price applies to them.",
  ),
  "/backend/admin/code-batch/create/": t("The codes can be redeemed immediately."),
  "/backend/admin/code-batch/revoke/": t("Unused codes can't be redeemed any more. What others have added stays."),
  "/backend/admin/coupon/create/": t("Orders from now on can use it, within its dates."),
  "/backend/admin/coupon/revoke/": t("Orders from now on can't use it. Orders that have it keep it."),
  "/backend/admin/invoice/terms/save/": t(
    "Orders from now on are invoiced on these terms; issued invoices stay as they are.",
  ),
  "/backend/admin/channel-cost/save/": t("Margins in the reports are computed with it. Customers pay the same."),
  "/backend/admin/limit/save/": t("{calls} are subject to these limits.", { calls }),
  "/backend/admin/user/save/": t("Immediately. A suspended user can't log in, and calls with their keys are refused."),
  "/backend/admin/key/save/": t("{calls} with the key are subject to this.", { calls }),
  "/backend/admin/key/lock/": t("{calls} with the key are refused until you unlock it.", { calls }),
  "/backend/admin/key/unlock/": t("{calls} with the key are accepted again.", { calls }),
  "/backend/admin/key/revoke/": t("{calls} with the key are refused, for good.", { calls }),
  "/backend/admin/organisation/create/": t("Immediately. Its balance is empty, and its owner can invite members."),
  "/backend/admin/organisation/save/": t(
    "Immediately. While suspended, it makes no calls and places no orders, and its members only read.",
  ),
  "/backend/admin/settings/save/": t("Immediately here, and within a second on every replica."),
  "/backend/admin/secret/save/": t(
    "Immediately here, and within five seconds on every replica. The secret it replaces is lost.",
  ),
  "/backend/admin/sign-in-provider/remove/": t(
    "Nobody can sign in with it any more. Links stay, and work again with a service of the same issuer.",
  ),
  "/backend/admin/registration/save/": t("Registrations from now on. Accounts that exist stay."),
  "/backend/admin/registration/invitation/create/": t("The link works immediately."),
  "/backend/admin/registration/invitation/revoke/": t("The link stops working. Accounts that used it stay."),
  "/backend/admin/admin/save/": t("Immediately, also in open sessions."),
  "/backend/admin/incident/create/": t("Everyone sees it on the status page immediately."),
  "/backend/admin/incident/update/": t("Everyone sees it on the status page immediately."),
  "/backend/admin/branding/text/save/": t("The public pages show it within a minute."),
  "/backend/admin/branding/legal/save/": t(
    "It is public immediately, and earlier versions are kept. Users who have to accept it are asked at the next login or opening of the console; API keys keep working.",
  ),
  "/backend/admin/mail/template/save/": t("E-mails from now on use it."),
  "/backend/admin/lead/save/": t("Only admins see it; nothing is sent."),
};

export function whenOf(operation: PreviewedOperation, sent: Readonly<Record<string, unknown>>): readonly string[] {
  const when = whenTexts[operation];
  return typeof when === "string" ? [when] : when(sent);
}

type Count = (number: string, names: string) => string;

const counted =
  (one: string, more: string): Count =>
  (number, names) =>
    names === ""
      ? t("{number} {what}.", { number, what: number === "1" ? one : more })
      : t("{number} {what}: {names}.", { number, what: number === "1" ? one : more, names });

/** A sentence for each kind; those of calls are one sentence together. */
const sentences: Readonly<Partial<Record<ConsequenceKind, Count>>> = {
  accounts: counted(t("account is affected"), t("accounts are affected")),
  keys: counted(t("live key is affected"), t("live keys are affected")),
  members: counted(t("member"), t("members")),
  sold_months: counted(t("month that was sold stays as bought"), t("months that were sold stay as bought")),
  renewals: counted(t("customer pays for it every month"), t("customers pay for it every month")),
  open_orders: counted(t("open order can still be paid"), t("open orders can still be paid")),
  kept_renewals: counted(
    t("subscription continues, charged as before"),
    t("subscriptions continue, charged as before"),
  ),
  paused_top_ups: counted(
    t("automatic top-up charges nothing until it is on again"),
    t("automatic top-ups charge nothing until it is on again"),
  ),
  open_checkouts: counted(
    t("payment that has begun can still be made, and is credited"),
    t("payments that have begun can still be made, and are credited"),
  ),
  linked_users: counted(t("user signs in with it"), t("users sign in with it")),
  asked_users: counted(t("active user is asked to accept it"), t("active users are asked to accept it")),
  sessions: counted(t("open session"), t("open sessions")),
  unreachable: (_, names) => t("Can't be called any more: {names}.", { names }),
  reachable: (_, names) => t("Can be called from then on: {names}.", { names }),
};

/** What a change affects, a sentence each; what groups lose comes first. */
export function consequenceTexts(consequences: readonly Consequence[]): string[] {
  const others = consequences.flatMap((each) => sentences[each.kind]?.(shownCount(each.count), namesOf(each)) ?? []);
  const used = callsText(consequences);
  return [...others, ...(used === null ? [] : [used])];
}

function namesOf({ names, count }: Consequence): string {
  const left = Number(count) - names.length;
  return [...names, ...(names.length > 0 && left > 0 ? [t("{left} more", { left: formats.number(left) })] : [])].join(
    ", ",
  );
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
  const piece = (kind: ConsequenceKind, shown: (number: string) => string): string => {
    const number = countOf(kind);
    return number === null ? "" : shown(number);
  };
  const count = shownCount(total);
  return t("In the last {days} days: {calls}{accounts}{keys}{charged}.", {
    days: consequenceDays,
    calls: total === "1" ? t("{count} call", { count }) : t("{count} calls", { count }),
    accounts: piece("callers", (number) =>
      number === "1"
        ? t(" of {count} account", { count: 1 })
        : t(" of {count} accounts", { count: shownCount(number) }),
    ),
    keys: piece("calling_keys", (number) =>
      number === "1" ? t(" with {count} key", { count: 1 }) : t(" with {count} keys", { count: shownCount(number) }),
    ),
    charged: piece("charged_quota", (quota) => t(", charged {charged}", { charged: formats.quota(quota) })),
  });
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
  const shift = (each: Shift): string => {
    const amounts = { would: formats.quota(each.would_charge), charged: formats.quota(each.charged) };
    return effect.is_exact
      ? t("{would} instead of {charged}", amounts)
      : t("about {would} instead of {charged}", amounts);
  };
  const isOne = BigInt(effect.count) === 1n;
  const of = {
    count: shownCount(effect.count),
    days: effect.days,
    amounts: `${shift(effect)}${shareOf(effect)}`,
  };
  const ofCalls = (): string =>
    isOne
      ? t("The {count} call of the last {days} days would have cost {amounts}.", of)
      : t("The {count} calls of the last {days} days would have cost {amounts}.", of);
  const ofPurchases = (): string =>
    isOne
      ? t("The {count} purchase of the last {days} days would have brought {amounts}.", of)
      : t("The {count} purchases at its price of the last {days} days would have brought {amounts}.", of);
  const all = effect.of === "calls" ? ofCalls() : ofPurchases();
  const accounts = effect.accounts.map((each) => `${each.name}: ${shift(each)}${shareOf(each)}`);
  const hint = effect.is_exact
    ? []
    : [t("The sums do not say which prompts were long: the price of short ones is assumed.")];
  const most = accounts.length < 1 ? [] : [t("Most affected: {accounts}.", { accounts: accounts.join("; ") })];
  return [all, ...most, ...hint];
}
