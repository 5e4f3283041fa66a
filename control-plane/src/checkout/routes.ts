import {
  type CardSender,
  createCardPaymentInput,
  createWalletPaymentInput,
  paymentIdempotencyHeader,
} from "@sluice/contracts/payments";
import { z } from "zod";
import { type AnyEndpoint, type EndpointAnswer, endpoint, type UserCaller } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import type { GatewayNotices } from "./notices.ts";
import type { CheckoutService, OpenedCheckout, Purchase } from "./service.ts";

export type CheckoutEndpointParts = { readonly checkout: CheckoutService; readonly notices: GatewayNotices };

const noticeBytesMax = 256 * 1024;

export function checkoutEndpoints({ checkout, notices }: CheckoutEndpointParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/payment/walletpay/create/",
      access: "optional_user",
      input: createWalletPaymentInput,
      summary: "Place an order and open its payment at the wallet gateway.",
      handle: async ({ input, user, request }) =>
        answerOf(await checkout.openWallet(purchaseOf(input, user, request), input.vendor)),
    }),
    endpoint({
      method: "POST",
      path: "/backend/payment/cardpay/create/",
      access: "optional_user",
      input: createCardPaymentInput,
      summary: "Place an order and open its payment at the card gateway.",
      handle: async ({ input, user, request }) =>
        answerOf(await checkout.openCard(purchaseOf(input, user, request), input.sender, input.vendor)),
    }),
    endpoint({
      method: "POST",
      path: "/backend/payment/walletpay/ipn/",
      access: "public",
      body: "raw",
      bodyBytesMax: noticeBytesMax,
      input: z.object({}),
      summary: "Notifications of the wallet gateway, answered with the word that it waits for.",
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

/** The address says whose secret counts; nothing inside a message does. */
function cardWebhook(path: string, sender: CardSender, notices: GatewayNotices): AnyEndpoint {
  return endpoint({
    method: "POST",
    path,
    access: "public",
    body: "raw",
    bodyBytesMax: noticeBytesMax,
    input: z.object({}),
    summary: `Events of the account ${sender} at the card gateway.`,
    handle: async ({ bytes, request }) => {
      refuseEncoding(request);
      const result = await notices.takeCardNotice(sender, bytes, request.headers.get("stripe-signature"));
      return { received: true, result };
    },
  });
}

/** Signatures are over the bytes as they come. */
function refuseEncoding(request: Request): void {
  if (request.headers.has("content-encoding")) {
    throw new AppError("unsupported_encoding");
  }
}

function purchaseOf(
  input: { readonly plan_code: string; readonly dry_run: boolean; readonly email?: string | undefined },
  user: UserCaller | null,
  request: Request,
): Purchase {
  const key = paymentIdempotencyHeader.safeParse(request.headers.get("idempotency-key"));
  if (!key.success) {
    throw new AppError("invalid_value", { fields: { "Idempotency-Key": "8 to 200 visible characters" } });
  }
  return {
    planCode: input.plan_code,
    userId: user?.userId ?? null,
    email: input.email ?? null,
    idempotencyKey: key.data,
    isDryRun: input.dry_run,
  };
}

function answerOf({ placed, request, checkout }: OpenedCheckout): EndpointAnswer {
  const { order, claimCode } = placed;
  return {
    order: {
      order_no: order.orderNo,
      plan_code: order.planCode,
      plan_name: order.planName,
      plan_kind: order.planKind,
      quota: order.quota,
      amount_usd: order.amountUsd,
      currency: order.currency,
      pay_channel: order.payChannel,
      sender: order.sender,
      vendor: order.vendor,
      status: order.status,
      created_at: order.createdAt,
      expires_at: order.expiresAt,
    },
    claim_code: claimCode,
    dry_run: request !== null,
    request,
    checkout_url: checkout?.url ?? null,
  };
}
