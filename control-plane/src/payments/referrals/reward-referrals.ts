import { type Decimal, quotaPerUsd } from "@sluice/contracts/money";
import type { ReferralRefusal } from "@sluice/contracts/referrals";
import { addressKeyOf } from "../../accounts/email-address.ts";
import { grantQuota, lockUserQuota } from "../../gateway/quota/grant-store.ts";
import { dayMs } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import { fromCents } from "../model.ts";
import { findOwner, lockOrder, readNow } from "../orders/order-store.ts";
import type { BillingDeps } from "../port.ts";
import { isMoneyBack } from "../refunds/money-back.ts";
import {
  accountsOf,
  countFromNetwork,
  countRewards,
  countTwins,
  type Due,
  findOrigin,
  lockBoth,
  lockReferral,
  markRefused,
  markRewarded,
  markTakenBack,
  type Referral,
  refuseClosed,
  selectBroken,
  selectDue,
} from "./referral-store.ts";

/** What the operator decided; read each time, because settings change. */
export type ReferralRules = {
  readonly isOn: boolean;
  /** In US cents. */
  readonly inviterCents: number;
  readonly invitedCents: number;
  readonly waitDays: number;
  readonly monthMax: number;
  readonly minimumUsd: number;
  /** How long after the reward it is taken back if the payment goes back. */
  readonly takeBackDays: number;
};

export type ReferralDeps = Pick<BillingDeps, "db" | "log"> & {
  readonly rules: () => ReferralRules;
  /** What may be stored in place of the network or the browser of an account that was closed. */
  readonly marksOf: (origin: string) => readonly string[];
};

const perRunMax = 200;
/** From one network, this many people are rewarded for. */
const networkMax = 5;

export const quotaOfCents = (cents: number): bigint => (BigInt(cents) * quotaPerUsd) / 100n;

/** Decides about referrals whose invited person's payment has lasted; returns how many. */
export async function rewardReferrals(deps: ReferralDeps, at?: Date): Promise<number> {
  const { db, log, rules, marksOf } = deps;
  const { isOn, minimumUsd, monthMax } = rules();
  if (!isOn) {
    return 0;
  }
  const moment = at ?? (await readNow(db));
  await refuseClosed(db, moment, perRunMax);
  const usd: Decimal = fromCents(BigInt(minimumUsd) * 100n);
  const due = await selectDue(db, { at: moment, minimumUsd: usd, limit: perRunMax });
  for (const each of due) {
    const result = await db.withTransaction((tx) => decide(tx, each, { monthMax, at: moment, marksOf }));
    log.info("billing.referral", { referral: each.id, orderNo: each.orderNo, result });
  }
  return due.length;
}

type Deciding = Pick<ReferralDeps, "marksOf"> & { readonly monthMax: number; readonly at: Date };

async function decide(tx: Transaction, due: Due, deciding: Deciding): Promise<string> {
  // One decision at a time, so that limits that several referrals share hold.
  await takeAdvisoryLock(tx, "referral rewards");
  const offered = await lockReferral(tx, due.id);
  const referral = offered?.state === "pending" ? await termsOfNow(tx, offered) : null;
  const order = referral === null ? null : await lockOrder(tx, due.orderNo);
  if (referral === null || order?.status !== "settled" || (await isMoneyBack(tx, order))) {
    return "changed";
  }
  const refusal = await refusalOf(tx, referral, deciding);
  if (refusal !== null) {
    await markRefused(tx, referral.id, refusal, deciding.at);
    return refusal;
  }
  await markRewarded(tx, referral, order.id, deciding.at);
  await move(tx, referral, "referral_reward");
  return "rewarded";
}

/** The referral as it can be paid now: an inviter who has closed the account gets nothing. Null if either can't be paid. */
async function termsOfNow(tx: Transaction, referral: Referral): Promise<Referral | null> {
  const both = await lockBoth(tx, referral);
  const [inviter, invited] = [both.get(referral.inviterId), both.get(referral.invitedId)];
  if (invited?.isOpen !== true || inviter === undefined) {
    return null;
  }
  return inviter.isClosed ? { ...referral, inviterQuota: 0n } : inviter.isOpen ? referral : null;
}

/** Whether both are one person, as far as is known, or the inviter has reached a limit. Closed accounts count as they did before. */
async function refusalOf(
  tx: Transaction,
  referral: Referral,
  { monthMax, at, marksOf }: Deciding,
): Promise<ReferralRefusal | null> {
  const invited = await findOrigin(tx, referral.invitedId);
  const inviter = await findOrigin(tx, referral.inviterId);
  if (invited !== null) {
    const owner = await findOwner(tx, referral.inviterId);
    // The inviter may have been imported, or have another address by now.
    if (owner !== null && Buffer.from(addressKeyOf(owner.email)).equals(invited.addressKey)) {
      return "address";
    }
    const textsOf = (origin: string): string[] => [origin, ...marksOf(origin)];
    const devices = invited.device === null ? [] : textsOf(invited.device);
    const twins = await countTwins(tx, referral.invitedId, { addressKey: invited.addressKey, devices });
    if (twins.address > 0) {
      return "address";
    }
    if (twins.device > 0) {
      return "device";
    }
    const networks = textsOf(invited.network);
    const isSameNetwork = inviter !== null && networks.includes(inviter.network);
    if (isSameNetwork || (await countFromNetwork(tx, networks)) >= networkMax) {
      return "network";
    }
  }
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  return (await countRewards(tx, referral.inviterId, month)) >= monthMax ? "month" : null;
}

/** Posts what both get, or takes it back: one posting each. */
async function move(
  tx: Transaction,
  referral: Referral,
  changeType: "referral_reward" | "referral_taken_back",
): Promise<void> {
  const [sign, what] = changeType === "referral_reward" ? [1n, "referral"] : [-1n, "referral_taken_back"];
  for (const { userId, gatewayUserId } of await accountsOf(tx, [referral.inviterId, referral.invitedId])) {
    const isInviter = userId === referral.inviterId;
    const amount = sign * (isInviter ? referral.inviterQuota : referral.invitedQuota);
    const reference = `${what}:${referral.id}:${isInviter ? "inviter" : "invited"}`;
    if (amount !== 0n) {
      const { budgetId } = await lockUserQuota(tx, gatewayUserId);
      if (!(await grantQuota(tx, { budgetId, amount, changeType, reference }))) {
        throw new Error(`${changeType} ${reference} was posted before`);
      }
    }
  }
}

/** Takes rewards back whose payment was refunded or disputed in time; returns how many. */
export async function takeRewardsBack(deps: ReferralDeps, at?: Date): Promise<number> {
  const { db, log, rules } = deps;
  const moment = at ?? (await readNow(db));
  const after = new Date(moment.getTime() - rules().takeBackDays * dayMs);
  const broken = await selectBroken(db, after, perRunMax);
  for (const id of broken) {
    await db.withTransaction(async (tx) => {
      const referral = await lockReferral(tx, id);
      if (referral?.state === "rewarded") {
        await markTakenBack(tx, id, moment);
        await move(tx, referral, "referral_taken_back");
      }
    });
    log.warn("billing.referral_taken_back", { referral: id });
  }
  return broken.length;
}
