import { consentPages } from "@sluice/contracts/brand";
import type { Consequence } from "@sluice/contracts/change-preview";
import { type ConsequenceKind, consequenceNamesMax } from "@sluice/contracts/previewed-operations";
import { countAskedBy } from "../../consents/service.ts";
import type { Queryable } from "../../platform/db.ts";
import { countOfPlan } from "../archive/archive-store.ts";
import {
  type Calls,
  countAccounts,
  countAdminSessions,
  countCallsOfAccount,
  countCallsOfChannel,
  countCallsOfKey,
  countCallsOfModel,
  countHolders,
  countLinkedUsers,
  countLiveKeys,
  countOfGateway,
  findAccount,
  isSwitchedOff,
  type PaymentGateway,
  type Reach,
  readMembers,
  type Subject,
} from "./consequences-store.ts";

type Counted = readonly (readonly [kind: ConsequenceKind, count: bigint, names?: readonly string[]])[];
type CountAffected = (db: Queryable, id: string) => Promise<Counted>;

const callsOf = ({ calls, callers, keys, quota }: Calls): Counted => [
  ["calls", calls],
  ["callers", callers],
  ["calling_keys", keys],
  ["charged_quota", quota],
];

const ofOwner =
  (kind: "user" | "organisation") =>
  async (db: Queryable, id: string): Promise<Counted> => {
    const account = await findAccount(db, { kind, id: BigInt(id) });
    if (account === null) {
      return [];
    }
    const { calls, quota } = await countCallsOfAccount(db, account);
    const { members, names } = kind === "user" ? { members: 0n, names: [] } : await readMembers(db, BigInt(id));
    return [
      ["members", members, names],
      ["keys", await countLiveKeys(db, account)],
      ["calls", calls],
      ["charged_quota", quota],
    ];
  };

/** The settings that switch a payment gateway off. */
const gatewaySettings: Readonly<Record<string, PaymentGateway>> = {
  "payments.walletpay": "walletpay",
  "payments.cardpay": "cardpay",
};

/** Who is affected by a change of something, by the kind that the audit log has. Of other kinds, nobody by number. */
const affectedBy: Readonly<Record<string, CountAffected>> = {
  model: async (db, name) => callsOf(await countCallsOfModel(db, name)),
  channel: async (db, id) => [["calls", await countCallsOfChannel(db, BigInt(id))]],
  group: async (db, name) => {
    const { accounts, keys } = await countHolders(db, name);
    return [
      ["accounts", accounts],
      ["keys", keys],
    ];
  },
  plan: async (db, code) => {
    const counts = await countOfPlan(db, code);
    const rows = (name: string): bigint => BigInt(counts[name] ?? 0);
    return [
      ["sold_months", rows("sold_months")],
      ["renewals", rows("renewals")],
      ["open_orders", rows("open_orders")],
    ];
  },
  limit: async (db) => [
    ["accounts", await countAccounts(db)],
    ["keys", await countLiveKeys(db, null)],
  ],
  api_key: async (db, id) => {
    const { calls, quota } = await countCallsOfKey(db, BigInt(id));
    return [
      ["calls", calls],
      ["charged_quota", quota],
    ];
  },
  user: ofOwner("user"),
  organisation: ofOwner("organisation"),
  setting: async (db, name) => {
    const gateway = gatewaySettings[name];
    if (gateway === undefined || !(await isSwitchedOff(db, name))) {
      return [];
    }
    const { renewals, topUps, checkouts } = await countOfGateway(db, gateway);
    return [
      ["kept_renewals", renewals],
      ["paused_top_ups", topUps],
      ["open_checkouts", checkouts],
    ];
  },
  sign_in_provider: async (db, slug) => [["linked_users", await countLinkedUsers(db, slug)]],
  legal_text: async (db, id) => {
    const page = consentPages.find((each) => id.startsWith(`${each}/`));
    return page === undefined ? [] : [["asked_users", await countAskedBy(db, page)]];
  },
  admin: async (db, id) => [["sessions", await countAdminSessions(db, BigInt(id))]],
};

/** What changing these things affects, added up by kind, without the kinds that count nothing. */
export async function consequencesOf(db: Queryable, subjects: readonly Subject[]): Promise<Consequence[]> {
  const sums = new Map<ConsequenceKind, Consequence>();
  const distinct = new Map(subjects.map((subject) => [`${subject.kind}/${subject.id}`, subject]));
  for (const { kind, id } of distinct.values()) {
    for (const [what, count, names = []] of (await affectedBy[kind]?.(db, id)) ?? []) {
      const before = sums.get(what) ?? { kind: what, count: 0n, names: [] };
      const all = [...before.names, ...names].slice(0, consequenceNamesMax);
      sums.set(what, { kind: what, count: before.count + count, names: all });
    }
  }
  return [...sums.values()].filter(({ count }) => count > 0n);
}

/** Which models groups lose, and which they gain. */
export function compareReach(before: readonly Reach[], after: readonly Reach[]): Consequence[] {
  const nameOf = ({ model, group }: Reach): string => `${model} (${group})`;
  const missing = (from: readonly Reach[], other: readonly Reach[]): string[] => {
    const known = new Set(other.map(nameOf));
    return from.map(nameOf).filter((name) => !known.has(name));
  };
  const toConsequence = (kind: "unreachable" | "reachable", names: readonly string[]): Consequence[] =>
    names.length === 0 ? [] : [{ kind, count: BigInt(names.length), names: names.slice(0, consequenceNamesMax) }];
  return [
    ...toConsequence("unreachable", missing(before, after)),
    ...toConsequence("reachable", missing(after, before)),
  ];
}
