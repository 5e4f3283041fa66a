import type { CardGateway } from "../gateways/port.ts";
import type { BillingDeps } from "../port.ts";

export type TopUpDeps = BillingDeps & {
  readonly card: Pick<CardGateway, "savedMethods" | "openCheckout" | "requireReady">;
  readonly rules: {
    /** Whether the operator offers the card gateway for new payments now. */
    readonly isOffered: () => boolean;
    /** Where mails send customers: the billing page. */
    readonly billingUrl: string;
  };
};

/** The month of UTC in which a moment is. */
export const monthOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
