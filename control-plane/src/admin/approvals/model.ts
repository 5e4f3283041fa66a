import type { ActKind, Effects } from "@sluice/contracts/approvals";
import { quotaPerUsd } from "@sluice/contracts/money";

/** What the amounts of admins are counted as, each with limits of its own. */
export type AllowanceKind = "adjust" | "refund";

/** What admins may move, in whole US dollars; read again for each act, since settings change. */
export type AmountRules = {
  readonly [Kind in AllowanceKind]: { readonly usdMax: number; readonly usdPerDayMax: number };
} & {
  /** Above it a second super-admin has to agree; 0 for never. */
  readonly secondPersonAboveUsd: number;
};

/** An amount as it is counted, in quota; what is taken counts as what is given. */
export type Amount = { readonly kind: AllowanceKind; readonly quota: bigint };

/** What an amount takes: the rights of every admin, those of a super-admin with a fresh login, or a second person. */
export type Demand = "nothing" | "fresh_super_admin" | "second_person";

/**
 * What it takes to move an amount.
 * @param quotaOfDay what the admin has moved today, with this amount
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

/** An act that waits for a second super-admin, or did. */
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
