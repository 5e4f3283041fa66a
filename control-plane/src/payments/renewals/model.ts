import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { CardSender } from "@sluice/contracts/payments";
import type { PlanNames } from "@sluice/contracts/plan-texts";
import type { RenewalEntry, renewalEnds, renewalStatuses } from "@sluice/contracts/renewals";
import type { SubscriptionGateway } from "../gateways/port.ts";
import type { BillingDeps } from "../port.ts";

export type RenewalStatus = (typeof renewalStatuses)[number];
export type RenewalEnd = (typeof renewalEnds)[number];

/** What a month costs and grants. */
export type RenewalTerms = {
  readonly planName: string;
  readonly priceUsd: Decimal;
  readonly quota: bigint;
  readonly groupName: string | null;
};

/** A subscription at the card gateway, which charges for a month of a plan again and again. */
export type Renewal = RenewalTerms & {
  readonly id: bigint;
  readonly renewalNo: string;
  /** Who agreed to it, and whose card is charged. */
  readonly userId: UserId;
  /** The organisation whose months it pays; null for the user's own. */
  readonly organisationId: bigint | null;
  /** The account that gets the months. */
  readonly gatewayUserId: GatewayUserId;
  readonly planCode: string;
  readonly planNames: PlanNames;
  readonly account: CardSender;
  readonly status: RenewalStatus;
  readonly isCancelledAtEnd: boolean;
  readonly endReason: RenewalEnd | null;
  readonly checkoutUrl: string | null;
  /** Of the page, at the gateway. */
  readonly checkoutReference: string | null;
  readonly gatewaySubscriptionId: string | null;
  readonly gatewayCustomerId: string | null;
  readonly periodEnd: Date | null;
  readonly keptUntil: Date | null;
  readonly failedAt: Date | null;
  readonly nextPlanName: string | null;
  readonly nextPriceUsd: Decimal | null;
  readonly nextQuota: bigint | null;
  readonly nextGroupName: string | null;
  readonly nextFrom: Date | null;
  readonly noticedAt: Date | null;
  readonly version: number;
  readonly createdAt: Date;
};

export type RenewalRules = {
  /** How long a plan is kept while its next charge fails. */
  readonly graceDays: () => number;
  /** How long before new terms apply the customer is told about them. */
  readonly noticeDays: () => number;
  /** Whether the operator offers the card gateway for new payments now. */
  readonly isOffered: () => boolean;
  /** Where mails send customers: the billing page. */
  readonly billingUrl: string;
};

export type RenewalDeps = BillingDeps & { readonly gateway: SubscriptionGateway; readonly rules: RenewalRules };

/** Whether the gateway may still charge for it. */
export const isLive = ({ status }: Pick<Renewal, "status">): boolean => status === "active" || status === "past_due";

export function nextTermsOf(renewal: Renewal): RenewalTerms | null {
  const { nextPlanName, nextPriceUsd, nextQuota, nextGroupName } = renewal;
  return nextPlanName === null || nextPriceUsd === null || nextQuota === null
    ? null
    : { planName: nextPlanName, priceUsd: nextPriceUsd, quota: nextQuota, groupName: nextGroupName };
}

export function renewalEntry(renewal: Renewal): RenewalEntry {
  const { nextPriceUsd, nextQuota, nextFrom } = renewal;
  const isNoticed = nextPriceUsd !== null && nextQuota !== null && nextFrom !== null;
  return {
    renewal_no: renewal.renewalNo,
    plan_code: renewal.planCode,
    plan_name: renewal.planName,
    plan_names: renewal.planNames,
    price_usd: renewal.priceUsd,
    quota: renewal.quota,
    group: renewal.groupName,
    status: renewal.status,
    is_cancelled_at_end: renewal.isCancelledAtEnd,
    end_reason: renewal.endReason,
    period_end: renewal.periodEnd,
    kept_until: renewal.keptUntil,
    failed_at: renewal.failedAt,
    next: isNoticed ? { price_usd: nextPriceUsd, quota: nextQuota, from: nextFrom } : null,
    created_at: renewal.createdAt,
  };
}
