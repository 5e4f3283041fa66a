import type { ActKind, Effects } from "@sluice/contracts/approvals";
import { quotaPerUsd } from "@sluice/contracts/money";

/** The kinds of amounts that admins move; each kind has its own limits. */
export type AllowanceKind = "adjust" | "refund";

/** How much admins may move, in whole US dollars. It is read again for each act, because settings change. */
export type AmountRules = {
  readonly [Kind in AllowanceKind]: { readonly usdMax: number; readonly usdPerDayMax: number };
} & {
  /** Above this amount a second super-admin has to approve; 0 for never. */
  readonly secondPersonAboveUsd: number;
};

/** An amount in quota, as it is counted; debits count like credits. */
export type Amount = { readonly kind: AllowanceKind; readonly quota: bigint };

/** What an amount requires: any admin, a super-admin with a fresh login, or a second person. */
export type Demand = "nothing" | "fresh_super_admin" | "second_person";

/**
 * What moving an amount requires.
 * @param quotaOfDay what the admin has moved today, including this amount
 */
export function demandOf({ kind, quota }: Amount, quotaOfDay: bigint, rules: AmountRules): Demand {
  const { usdMax, usdPerDayMax } = rules[kind];
  const above = rules.secondPersonAboveUsd;
  if (above > 0 && quotaOfDay > toQuota(above)) {
    return "second_person";
  }
  return quota > toQuota(usdMax) || quotaOfDay > toQuota(usdPerDayMax) ? "fresh_super_admin" : "nothing";
}

function toQuota(usd: number): bigint {
  return BigInt(usd) * quotaPerUsd;
}

export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired";

/** An act that waits, or waited, for a second super-admin. */
export type Approval = {
  readonly id: bigint;
  readonly kind: ActKind;
  readonly input: unknown;
  readonly reason: string;
  readonly effects: Effects;
  readonly requestedBy: bigint;
  readonly requestedByName: string;
  readonly requestId: string;
  readonly ip: string;
  readonly idempotencyKey: string;
  readonly status: ApprovalStatus;
  readonly expiresAt: Date;
  readonly decidedByName: string | null;
  readonly decidedAt: Date | null;
  readonly decisionReason: string | null;
  readonly createdAt: Date;
};
