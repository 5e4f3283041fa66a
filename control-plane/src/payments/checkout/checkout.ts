import type { UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import {
  type CardSender,
  type CardVendor,
  cardVendors,
  type GatewayRequest,
  type PaymentOptions,
} from "@sluice/contracts/payments";
import { AppError } from "../../platform/errors.ts";
import type { Checkout } from "../gateways/model.ts";
import { isReady, type Payments } from "../gateways/payment-gateways.ts";
import type { Order } from "../model.ts";
import { createOrder, type OrderRequest, type PlacedOrder } from "../orders/place-order.ts";
import type { BillingDeps } from "../port.ts";
import { beginOpening, endOpening, findCheckout } from "./checkout-store.ts";

/** The buyer, and what is bought. */
export type Purchase = {
  readonly planCode: string;
  readonly amountUsd?: Decimal | undefined;
  readonly couponCode?: string | undefined;
  readonly userId: UserId | null;
  readonly organisationId: bigint | null;
  readonly email: string | null;
  readonly idempotencyKey: string | null;
  /** The visitor id of the page where the order was placed. */
  readonly visitorId?: string | undefined;
  /** Describes the request to the gateway instead of sending it. */
  readonly isDryRun: boolean;
};

export type OpenedCheckout = {
  readonly placed: PlacedOrder;
  /** Exactly one of the following fields is set. */
  readonly request: GatewayRequest | null;
  readonly checkout: Checkout | null;
};

export type CheckoutRules = {
  /** Whether this installation takes no real money, so that everyone may see what the wallet's secret signs. */
  readonly isPlay: boolean;
  /** Whether the operator offers a gateway for new payments now. */
  readonly isOffered: (gateway: "walletpay" | "cardpay") => boolean;
};

/** Places orders and opens their payment at a gateway. The order is committed before the gateway gets it. */
export class CheckoutService {
  readonly #billing: BillingDeps;
  readonly #payments: Payments;
  readonly #rules: CheckoutRules;

  constructor(billing: BillingDeps, payments: Payments, rules: CheckoutRules) {
    this.#billing = billing;
    this.#payments = payments;
    this.#rules = rules;
  }

  async options(): Promise<Omit<PaymentOptions, "is_mock_offered">> {
    const { wallet, card } = this.#payments;
    const [isWalletReady, isCardReady] = await Promise.all([
      isReady(() => wallet.requireReady(false)),
      isReady(() => card.requireReady("default")),
    ]);
    return {
      is_wallet_ready: this.#rules.isOffered("walletpay") && isWalletReady && wallet.vendors.length > 0,
      wallet_vendors: wallet.vendors,
      is_card_ready: this.#rules.isOffered("cardpay") && isCardReady,
      card_vendors: cardVendors,
    };
  }

  /**
   * A signed request names the merchant and allows guessing the secret offline: strangers are not shown one for real
   * money.
   * @throws AppError `not_offered`, `invalid_value`, `unauthenticated` for such a dry run without a login, `not_found`, `conflict`,
   * `gateway_not_configured`, `payment_gateway_failed`
   */
  async openWallet(purchase: Purchase, vendor: string): Promise<OpenedCheckout> {
    const { wallet } = this.#payments;
    this.#refuseSwitchedOff("walletpay");
    if (!wallet.offers(vendor)) {
      throw new AppError("invalid_value", { fields: { vendor: "not one of the offered vendors" } });
    }
    if (purchase.isDryRun && purchase.userId === null && !this.#rules.isPlay) {
      throw new AppError("unauthenticated", { message: "Log in to see a signed request." });
    }
    await wallet.requireReady(purchase.isDryRun);
    const placed = await this.#place(purchase, { payChannel: "walletpay", sender: null, vendor });
    const request = { order: placed.order, vendor };
    return purchase.isDryRun
      ? { placed, request: await wallet.describeCheckout(request), checkout: null }
      : { placed, request: null, checkout: await this.#open(placed.order, () => wallet.openCheckout(request)) };
  }

  /** The same at the card gateway, through one of our accounts there. */
  async openCard(purchase: Purchase, sender: CardSender, vendor: CardVendor): Promise<OpenedCheckout> {
    const { card } = this.#payments;
    this.#refuseSwitchedOff("cardpay");
    if (!purchase.isDryRun) {
      await card.requireReady(sender);
    }
    const placed = await this.#place(purchase, { payChannel: "cardpay", sender, vendor });
    const request = { order: placed.order, sender, vendor };
    return purchase.isDryRun
      ? { placed, request: card.describeCheckout(request), checkout: null }
      : { placed, request: null, checkout: await this.#open(placed.order, () => card.openCheckout(request)) };
  }

  #refuseSwitchedOff(gateway: "walletpay" | "cardpay"): void {
    if (!this.#rules.isOffered(gateway)) {
      throw new AppError("not_offered");
    }
  }

  async #place(
    { planCode, amountUsd, couponCode, userId, organisationId, email, idempotencyKey, visitorId }: Purchase,
    way: Pick<OrderRequest, "payChannel" | "sender" | "vendor">,
  ): Promise<PlacedOrder> {
    const order = {
      ...{ planCode, amountUsd, userId, organisationId, email: userId === null ? email : null },
      ...{ couponCode, idempotencyKey, visitorId },
    };
    const placed = await this.#billing.db.withTransaction((tx) => createOrder(tx, { ...order, ...way }));
    // An order returned for an idempotency key may be paid already, and must not be paid twice.
    if (placed.order.status !== "pending") {
      throw new AppError("conflict", { message: "This order is no longer waiting for a payment." });
    }
    return placed;
  }

  /**
   * Opens the checkout of an order once, by one caller at a time. An order that was returned for an idempotency key
   * keeps its checkout.
   */
  async #open(order: Order, open: () => Promise<Checkout>): Promise<Checkout> {
    const { db } = this.#billing;
    const { orderNo } = order;
    if (!(await beginOpening(db, orderNo))) {
      const known = await findCheckout(db, orderNo);
      if (known === null) {
        throw new AppError("in_progress", { retryAfterSeconds: 2 });
      }
      return known;
    }
    let checkout: Checkout | null = null;
    try {
      checkout = await open();
      return checkout;
    } finally {
      await endOpening(db, orderNo, checkout);
    }
  }
}
