import { usdOfQuota } from "@sluice/contracts/money";
import { recordEvent } from "../../events/service.ts";
import { type Clock, dayMs } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { MailQueue } from "../model.ts";
import { findEndOfBatch, findLowQuota, type LowQuota } from "./quota-low-store.ts";

export type LowQuotaDeps = {
  readonly mail: MailQueue;
  readonly clock: Clock;
  readonly budgetsPerBatch?: number;
};

const budgetsPerBatchDefault = 500;
/** An email about low quota is useless after this time: by then, the user has topped up or knows about it. */
const usefulMs = 3 * dayMs;

/**
 * Queues an email for every user whose quota has fallen below a threshold, and for those who may top up that of an
 * organisation, once for each threshold and grant. It reads
 * the budgets in batches, so that its memory does not grow with their number.
 * @returns how many emails were queued
 */
export async function mailLowQuota(db: Database, deps: LowQuotaDeps): Promise<number> {
  const count = deps.budgetsPerBatch ?? budgetsPerBatchDefault;
  let queued = 0;
  let after = 0n;
  for (;;) {
    const upTo = await findEndOfBatch(db, after, count);
    if (upTo === null) {
      return queued;
    }
    const low = await findLowQuota(db, after, upTo);
    if (low.length > 0) {
      queued += await db.withTransaction((tx) => queueAll(tx, low, deps));
    }
    after = upTo;
  }
}

async function queueAll(tx: Transaction, low: readonly LowQuota[], { mail, clock }: LowQuotaDeps): Promise<number> {
  const expiresAt = new Date(clock.now() + usefulMs);
  let queued = 0;
  for (const account of low) {
    const { budgetId, grantId, thresholdPercent, remaining, gatewayUserId, isFirst } = account;
    const key = `quota_low:${budgetId}:${grantId}:${thresholdPercent}`;
    const isNew = await mail.queueMail(tx, {
      // Those who join later are not told again.
      dedupeKey: isFirst ? key : `${key}:${account.userId}`,
      ...textOf(account),
      userId: account.userId,
      to: account.email,
      locale: account.locale,
      source: "quota_low",
      expiresAt,
    });
    queued += isNew ? 1 : 0;
    if (isNew && isFirst) {
      await recordEvent(tx, {
        type: "balance.low",
        gatewayUserId,
        cause: `balance:${gatewayUserId}`,
        data: {
          threshold_percent: thresholdPercent,
          balance_usd: usdOfQuota(remaining),
          quota: remaining.toString(),
        },
      });
    }
  }
  return queued;
}

function textOf({ thresholdPercent, remaining, organisation }: LowQuota) {
  const variables = { threshold_percent: String(thresholdPercent), quota: remaining.toString() };
  return organisation === null
    ? ({ template: "quota_low", variables } as const)
    : ({ template: "organisation_quota_low", variables: { ...variables, organisation } } as const);
}
