import type { Decimal } from "@sluice/contracts/money";
import {
  type CardSender,
  type CreatedPayment,
  cardNoticeResponse,
  createCardPaymentInput,
  createdPayment,
  createWalletPaymentInput,
  paymentOptionsResponse,
} from "@sluice/contracts/payments";
import { z } from "zod";
import { idempotencyKeyOf } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { tryCoupon } from "../coupons/try-coupon.ts";
import { orderEntry } from "../model.ts";
import type { GatewayNotices } from "../notices/notices.ts";
import { admitOrder, couponErrors, type OrderFrom } from "../orders/place-order.ts";
import type { CodeAttempts, GuestOrders } from "../port.ts";
import type { CheckoutService, OpenedCheckout, Purchase } from "./checkout.ts";

export type CheckoutEndpointDeps = {
  readonly checkout: CheckoutService;
  readonly notices: GatewayNotices;
  readonly guests: GuestOrders;
  readonly codeAttempts: CodeAttempts;
  /** Whether orders can be settled without a payment. */
  readonly isMockOffered: boolean;
};

const paymentErrors = [
  "not_found",
  "not_offered",
  "invalid_amount",
  "conflict",
  "idempotency_mismatch",
  "in_progress",
  "too_many_attempts",
  "gateway_not_configured",
  "payment_gateway_failed",
  ...couponErrors,
] as const;

const noticeBytesMax = 256 * 1024;

export function checkoutEndpoints(deps: CheckoutEndpointDeps): AnyEndpoint[] {
  const { checkout, notices, guests, codeAttempts, isMockOffered } = deps;
  const open = async (
    call: OrderCall,
    at: (purchase: Purchase) => Promise<OpenedCheckout>,
  ): Promise<CreatedPayment> => {
    const purchase = await purchaseOf(guests, call);
    return answerOf(await tryCoupon(codeAttempts, call, purchase.couponCode, () => at(purchase)));
  };
  return [
    endpoint({
      method: "GET",
      path: "/backend/payment/options/",
      access: "user",
      input: z.strictObject({}),
      summary: "List the payment methods available now",
      output: paymentOptionsResponse,
      errors: [],
      handle: async () => ({ ...(await checkout.options()), is_mock_offered: isMockOffered }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/payment/walletpay/create/",
      access: "optional_user",
      input: createWalletPaymentInput,
      summary: "Place an order and open its payment at the wallet gateway",
      output: createdPayment,
      errors: paymentErrors,
      limits: ["A dry run in production requires a login: it shows what the gateway's secret signs."],
      handle: async (call) => open(call, (purchase) => checkout.openWallet(purchase, call.input.vendor)),
    }),
    endpoint({
      method: "POST",
      path: "/backend/payment/cardpay/create/",
      access: "optional_user",
      input: createCardPaymentInput,
      summary: "Place an order and open its payment at the card gateway",
      output: createdPayment,
      errors: paymentErrors,
      handle: async (call) => {
        const { sender, vendor } = call.input;
        return open(call, (purchase) => checkout.openCard(purchase, sender, vendor));
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/payment/walletpay/ipn/",
      access: "public",
      body: "raw",
      bodyBytesMax: noticeBytesMax,
      input: z.object({}),
      summary: "Receive a notification of the wallet gateway; the response is the word it expects",
      output: null,
      otherResponses: [{ status: 200, type: "text/plain", summary: "The word `success`." }],
      rawTypes: ["application/x-www-form-urlencoded", "application/json"],
      errors: [
        "unsupported_encoding",
        "unsupported_media_type",
        "invalid_json",
        "invalid_signature",
        "account_mismatch",
        "event_conflict",
        "order_not_found",
        "payment_unconfirmed",
        "webhook_not_configured",
        "payment_gateway_failed",
      ],
      handle: async ({ bytes, request }) => {
        refuseEncoding(request);
        await notices.takeWalletNotice(bytes, request.headers.get("content-type"));
        return new Response("success", { headers: { "content-type": "text/plain; charset=utf-8" } });
      },
    }),
    cardWebhook("/backend/payment/cardpay/webhook/", "default", notices),
    cardWebhook("/backend/payment/cardpay/account_a/webhook/", "account_a", notices),
    cardWebhook("/backend/payment/cardpay/account_b/webhook/", "account_b", notices),
  ];
}

/** The path determines which account's secret verifies a message; nothing in the message does. */
function cardWebhook(path: string, sender: CardSender, notices: GatewayNotices): AnyEndpoint {
  return endpoint({
    method: "POST",
    path,
    access: "public",
    body: "raw",
    bodyBytesMax: noticeBytesMax,
    input: z.object({}),
    summary: `Receive an event of account ${sender} at the card gateway`,
    output: cardNoticeResponse,
    rawTypes: ["application/json"],
    errors: [
      ...(["unsupported_encoding", "invalid_json", "invalid_signature", "timestamp_out_of_range"] as const),
      ...(["account_mismatch", "event_conflict", "webhook_not_configured"] as const),
    ],
    handle: async ({ bytes, request }) => {
      refuseEncoding(request);
      const result = await notices.takeCardNotice(sender, bytes, request.headers.get("stripe-signature"));
      return { received: true, result };
    },
  });
}

/** Signatures cover the bytes as received. */
function refuseEncoding(request: Request): void {
  if (request.headers.has("content-encoding")) {
    throw new AppError("unsupported_encoding");
  }
}

type OrderInput = {
  readonly plan_code: string;
  readonly amount_usd?: Decimal | undefined;
  readonly coupon_code?: string | undefined;
  readonly email?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly visitor_id?: string | undefined;
  readonly dry_run: boolean;
};

type OrderCall = OrderFrom & { readonly input: OrderInput; readonly request: Request };

/** @throws AppError `invalid_value` for an invalid idempotency key, or two that differ */
async function purchaseOf(guests: GuestOrders, call: OrderCall): Promise<Purchase> {
  const { input, user, request } = call;
  const key = idempotencyKeyOf(request, input.idempotency_key);
  return {
    planCode: input.plan_code,
    amountUsd: input.amount_usd,
    couponCode: input.coupon_code,
    userId: user?.userId ?? null,
    organisationId: user?.organisation?.organisationId ?? null,
    email: input.email ?? null,
    idempotencyKey: await admitOrder(guests, call, key),
    visitorId: input.visitor_id,
    isDryRun: input.dry_run,
  };
}

function answerOf({ placed: { order, claimCode }, request, checkout }: OpenedCheckout): CreatedPayment {
  return {
    order: orderEntry(order),
    claim_code: claimCode,
    dry_run: request !== null,
    request,
    checkout_url: checkout?.url ?? null,
  };
}
