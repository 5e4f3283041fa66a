import type { CardVendor } from "@sluice/contracts/payments";
import type { Stripe } from "stripe";
import { type CardCheckoutRequest, type PayableOrder, toCents } from "../model.ts";

type MethodType = Stripe.Checkout.SessionCreateParams.AllowedPaymentMethodType;

/** Mobile wallets are card payments: the gateway's page offers them on a device that has one. */
const methodOf: Readonly<Record<CardVendor, MethodType>> = {
  cardpay_card: "card",
  cardpay_wechat_pay: "wechat_pay",
  cardpay_alipay: "alipay",
  cardpay_paypal: "paypal",
  cardpay_crypto: "crypto",
  cardpay_apple_pay: "card",
  cardpay_google_pay: "card",
};

const minuteMs = 60_000;
/** The gateway accepts half an hour to a day, counted from its own clock. */
const openMsMin = 31 * minuteMs;
const openMsMax = 24 * 60 * minuteMs - 5 * minuteMs;

/**
 * The parameters of a Checkout Session. They depend on the order alone, so that a repetition under the same idempotency
 * key is identical in every byte.
 * @param publicBaseUrl of this service, without a trailing slash
 */
export function checkoutParams(
  { order, sender, vendor }: CardCheckoutRequest,
  publicBaseUrl: string,
): Stripe.Checkout.SessionCreateParams {
  // Payment events contain only the payment's metadata; the session keeps its own copy.
  const metadata = {
    trade_no: order.orderNo,
    product_id: order.planCode,
    svc_product_id: order.planCode,
    svc_sender: sender,
    svc_vendor: vendor,
  };
  const method = methodOf[vendor];
  const returnUrl = `${publicBaseUrl}/console/billing/?order_no=${order.orderNo}`;
  return {
    mode: "payment",
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: "usd",
          unit_amount: toCents(order.amountUsd),
          product_data: { name: order.planName },
        },
      },
    ],
    allowed_payment_method_types: [method],
    ...(method === "wechat_pay" ? { payment_method_options: { wechat_pay: { client: "web" as const } } } : {}),
    client_reference_id: order.orderNo,
    metadata,
    payment_intent_data: { metadata },
    ...(order.email === null ? {} : { customer_email: order.email }),
    expires_at: Math.floor(closesAtMs(order) / 1_000),
    success_url: returnUrl,
    cancel_url: returnUrl,
  };
}

function closesAtMs({ createdAt, expiresAt }: PayableOrder): number {
  const openMs = expiresAt.getTime() - createdAt.getTime();
  return createdAt.getTime() + Math.min(Math.max(openMs, openMsMin), openMsMax);
}

/** One session per order, however often it is requested. */
export function checkoutKey(orderNo: string): string {
  return `checkout:${orderNo}:1`;
}

/** The gateway's form encoding: names in brackets, as `payment_intent_data[metadata][trade_no]`. */
export function encodeBracketForm(params: object): string {
  const pairs: [string, string][] = [];
  const add = (name: string, value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        add(`${name}[${key}]`, inner);
      }
      return;
    }
    pairs.push([name, String(value)]);
  };
  for (const [name, value] of Object.entries(params)) {
    add(name, value);
  }
  return new URLSearchParams(pairs).toString();
}
