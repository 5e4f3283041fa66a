import type { Decimal } from "@sluice/contracts/money";
import type { CardSender, GatewayRequest } from "@sluice/contracts/payments";
import type { CardCheckoutRequest, Checkout, GatewayNotice, PaidFacts, WalletCheckoutRequest } from "./model.ts";

/** A payment to be refunded at the gateway that took it, in whole or in part. */
export type RefundRequest = {
  /** Our number of the refund; the gateway never refunds the same number twice. */
  readonly refundNo: string;
  readonly orderNo: string;
  /** Our account that took the payment. */
  readonly account: string;
  readonly transactionId: string;
  readonly amountUsd: Decimal;
  readonly currency: string;
  /** False when the refund may have been requested before: then only the gateway's record counts. */
  readonly isFirst: boolean;
};

/**
 * `pending`: the gateway accepted it and will do it; ask again later. `failed`: it certainly sends nothing, with its
 * own message: it refused with a code known to mean that, or has recorded it as failed. `unclear`: anything else, so
 * that the money may have gone; ask again later, and have a person look.
 */
export type RefundAnswer =
  | { readonly kind: "done"; readonly gatewayRefundId: string }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "unclear"; readonly message: string }
  | { readonly kind: "pending" };

export interface RefundGateway {
  /**
   * Never call it inside a transaction: it waits for an external server.
   * @throws AppError `payment_gateway_failed` when it is not known what happened: ask again under the same refund
   * number; `gateway_not_configured` when nothing was sent
   */
  refund(request: RefundRequest): Promise<RefundAnswer>;
}

/** The gateway's response to a query, as opposed to what a message said. */
export type Confirmation = "agrees" | "differs" | "not_asked";

export interface WalletGateway extends RefundGateway {
  /** The vendors that the operator has listed. */
  readonly vendors: readonly string[];
  /** Whether the vendor is one of those that the operator lists. */
  offers(vendor: string): boolean;
  /** @throws AppError `gateway_not_configured` when a checkout could not be opened, or a dry run not be signed */
  requireReady(isDryRun: boolean): Promise<void>;
  /** @throws AppError `gateway_not_configured` */
  describeCheckout(request: WalletCheckoutRequest): Promise<GatewayRequest>;
  /** @throws AppError `gateway_not_configured`, `payment_gateway_failed` */
  openCheckout(request: WalletCheckoutRequest): Promise<Checkout>;
  /** @throws AppError `gateway_not_configured`, `invalid_signature`, and those of a body that can't be read */
  readNotice(bytes: Uint8Array, contentType: string | null): Promise<GatewayNotice>;
  /** Asks the gateway itself. @throws AppError `payment_gateway_failed` when it does not respond */
  confirm(paid: PaidFacts): Promise<Confirmation>;
}

/** A subscription as the gateway has it now. `pending` waits for its first payment. */
export type GatewaySubscription = {
  readonly id: string;
  readonly customerId: string;
  readonly renewalNo: string | null;
  readonly state: "pending" | "active" | "past_due" | "ended";
  /** It ends with the month that is paid. */
  readonly isCancelledAtEnd: boolean;
  /** The invoice for the month that began last. */
  readonly latestInvoiceId: string | null;
};

/** An invoice for a month of a subscription, as the gateway has it now. */
export type GatewayInvoice = {
  readonly id: string;
  readonly subscriptionId: string | null;
  /** What was paid, with the payment's id at the gateway; null while nothing was. */
  readonly paid: Pick<PaidFacts, "transactionId" | "amountUsd" | "currency"> | null;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  /** How often the gateway has tried to charge it. */
  readonly attempts: number;
};

export type SubscriptionCheckout = {
  readonly renewalNo: string;
  readonly account: CardSender;
  readonly planCode: string;
  readonly planName: string;
  readonly priceUsd: Decimal;
  readonly email: string;
  /** When the page closes, by our clock. */
  readonly closesAt: Date;
};

/**
 * Subscriptions of the card gateway. Never call it inside a transaction: it waits for an external server.
 * @throws AppError `gateway_not_configured`, `payment_gateway_failed`
 */
export interface SubscriptionGateway {
  openCheckout(request: SubscriptionCheckout): Promise<Checkout>;
  /** Null when the gateway does not have it. */
  readSubscription(account: CardSender, id: string): Promise<GatewaySubscription | null>;
  readInvoice(account: CardSender, id: string): Promise<GatewayInvoice | null>;
  /**
   * Ends it so that nothing more is charged: with the month that is paid, or now if the gateway is about to charge for
   * another one. One that has ended stays as it is.
   */
  cancel(account: CardSender, id: string, when: "at_end" | "now"): Promise<void>;
  /** Closes a page that nobody has paid on; one that is closed or paid stays as it is. */
  closeCheckout(account: CardSender, reference: string): Promise<void>;
  /** Charges another price from the next month on. @param key repetitions under it change nothing */
  changePrice(
    account: CardSender,
    id: string,
    change: { readonly priceUsd: Decimal; readonly key: string },
  ): Promise<void>;
  /** The page where the customer changes the card, or cancels. */
  openPortal(account: CardSender, customerId: string): Promise<string>;
}

export type SetupRequest = {
  readonly topUpNo: string;
  readonly account: CardSender;
  readonly email: string;
};

/** A payment method that a customer has saved at the gateway, by its names there. */
export type SavedMethod = { readonly customerId: string; readonly methodId: string };

export type ChargeRequest = SavedMethod & {
  readonly account: CardSender;
  /** For a day, the gateway never charges twice for the same key. */
  readonly key: string;
  readonly orderNo: string;
  readonly planCode: string;
  readonly amountUsd: Decimal;
};

/** `failed`: nothing was charged, and nothing will be. `pending`: the bank has not answered. */
export type ChargeAnswer =
  | { readonly kind: "paid"; readonly paid: PaidFacts }
  | { readonly kind: "failed"; readonly code: string }
  | { readonly kind: "pending"; readonly paymentId: string };

/**
 * Methods that customers save on the gateway's page: no card data comes here. Never call it inside a transaction: it
 * waits for an external server.
 * @throws AppError `gateway_not_configured`, `payment_gateway_failed`
 */
export interface SavedMethodGateway {
  openSetup(request: SetupRequest): Promise<Checkout>;
  /** What the customer saved on the page; null while nothing was. */
  readSetup(account: CardSender, reference: string): Promise<SavedMethod | null>;
  /**
   * Closes a page, so that nothing can be saved there any more. Returns what was saved before; null when nothing was, or
   * the gateway does not have the page.
   */
  closeSetup(account: CardSender, reference: string): Promise<SavedMethod | null>;
  /** Charges a method while its customer is away; a repetition under the same key returns the same. */
  charge(request: ChargeRequest): Promise<ChargeAnswer>;
  /** A payment that was pending. */
  readCharge(account: CardSender, paymentId: string): Promise<ChargeAnswer>;
  /** Has the gateway forget a method; one that it does not have stays forgotten. */
  detach(account: CardSender, methodId: string): Promise<void>;
}

export interface CardGateway extends RefundGateway {
  readonly subscriptions: SubscriptionGateway;
  readonly savedMethods: SavedMethodGateway;
  /** @throws AppError `gateway_not_configured` when a checkout could not be opened */
  requireReady(sender: CardSender): Promise<void>;
  describeCheckout(request: CardCheckoutRequest): GatewayRequest;
  /** @throws AppError `gateway_not_configured`, `payment_gateway_failed` */
  openCheckout(request: CardCheckoutRequest): Promise<Checkout>;
  /** Whether the account currently takes real money. @throws AppError `gateway_not_configured` */
  isLive(account: string): Promise<boolean>;
  /**
   * @param signature the signature header
   * @throws AppError `gateway_not_configured`, `invalid_signature`, `timestamp_out_of_range`, `account_mismatch`,
   * `invalid_json`, `invalid_value`
   */
  readNotice(account: CardSender, bytes: Uint8Array, signature: string | null): Promise<GatewayNotice>;
}
