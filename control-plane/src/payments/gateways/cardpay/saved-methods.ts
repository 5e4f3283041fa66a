import type { CardSender } from "@sluice/contracts/payments";
import type { Stripe } from "stripe";
import { AppError } from "../../../platform/errors.ts";
import { type Checkout, toCents } from "../model.ts";
import type { ChargeAnswer, ChargeRequest, SavedMethod, SavedMethodGateway, SetupRequest } from "../port.ts";
import { isPackageError } from "./card-package.ts";
import { asked, failureOf, isInvalidRequest, orMissing, orRefused } from "./failure.ts";
import { readPaid } from "./notice.ts";

type ClientOf = (account: CardSender) => Promise<Stripe>;

/** Payment methods that customers save by the gateway's hosted pages, and charges of them. */
export class CardSavedMethods implements SavedMethodGateway {
  readonly #clientOf: ClientOf;
  readonly #returnUrl: string;

  constructor(clientOf: ClientOf, publicBaseUrl: string) {
    this.#clientOf = clientOf;
    this.#returnUrl = `${publicBaseUrl}/console/billing/`;
  }

  async openSetup({ topUpNo, account, email }: SetupRequest): Promise<Checkout> {
    const client = await this.#clientOf(account);
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: "setup",
      currency: "usd",
      allowed_payment_method_types: ["card"],
      customer_creation: "always",
      customer_email: email,
      client_reference_id: topUpNo,
      metadata: { top_up_no: topUpNo },
      success_url: `${this.#returnUrl}?top_up=${topUpNo}`,
      cancel_url: this.#returnUrl,
    };
    const session = await asked(client.checkout.sessions.create(params, { idempotencyKey: `top-up-setup:${topUpNo}` }));
    if (session.url === null || !URL.canParse(session.url)) {
      throw new AppError("payment_gateway_failed", { internal: { gateway: "cardpay", reason: "no address" } });
    }
    return { url: session.url, reference: session.id };
  }

  async readSetup(account: CardSender, reference: string): Promise<SavedMethod | null> {
    const client = await this.#clientOf(account);
    const session = await asked(client.checkout.sessions.retrieve(reference, { expand: ["setup_intent"] }));
    return savedOn(session);
  }

  async closeSetup(account: CardSender, reference: string): Promise<SavedMethod | null> {
    const client = await this.#clientOf(account);
    const { sessions } = client.checkout;
    if ((await orRefused(sessions.expire(reference))) !== null) {
      return null;
    }
    // It is closed already, or was never there.
    const session = await orMissing(sessions.retrieve(reference, { expand: ["setup_intent"] }));
    if (session?.status === "open") {
      throw new AppError("payment_gateway_failed", { internal: { gateway: "cardpay", reason: "page stays open" } });
    }
    return session === null ? null : savedOn(session);
  }

  async charge(request: ChargeRequest): Promise<ChargeAnswer> {
    const { account, key, orderNo, planCode, amountUsd, customerId, methodId } = request;
    const client = await this.#clientOf(account);
    const params = {
      amount: toCents(amountUsd),
      currency: "usd",
      customer: customerId,
      payment_method: methodId,
      off_session: true,
      confirm: true,
      // Its webhook settles the order like any other payment.
      metadata: { trade_no: orderNo, product_id: planCode, svc_product_id: planCode, svc_sender: account },
    };
    try {
      return answerOf(await client.paymentIntents.create(params, { idempotencyKey: key }));
    } catch (error) {
      if (isPackageError(error, "StripeCardError")) {
        await stop(client, error.payment_intent?.id ?? null);
        return { kind: "failed", code: error.code ?? "card_declined" };
      }
      if (isRefused(error)) {
        return { kind: "failed", code: error.code ?? "invalid_request" };
      }
      throw failureOf(error);
    }
  }

  async readCharge(account: CardSender, paymentId: string): Promise<ChargeAnswer> {
    const client = await this.#clientOf(account);
    const answer = answerOf(await asked(client.paymentIntents.retrieve(paymentId)));
    if (answer.kind === "failed") {
      await stop(client, paymentId);
    }
    return answer;
  }

  async detach(account: CardSender, methodId: string): Promise<void> {
    const client = await this.#clientOf(account);
    await orRefused(client.paymentMethods.detach(methodId));
  }
}

/** A payment that needs its customer is never confirmed here: cancelled, it can't be paid beside the order's own page. */
async function stop(client: Stripe, paymentId: string | null): Promise<void> {
  if (paymentId !== null) {
    await orRefused(client.paymentIntents.cancel(paymentId));
  }
}

/** The gateway would not even try: the method was detached, for example. Each repetition would be refused as well. */
function isRefused(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return isInvalidRequest(error) && [400, 404].includes(error.statusCode ?? 0);
}

/** Null while the customer has not finished the page. */
function savedOn({ status, customer, setup_intent: intent }: Stripe.Checkout.Session): SavedMethod | null {
  const customerId = idOf(customer);
  const methodId = typeof intent === "object" ? idOf(intent?.payment_method ?? null) : null;
  return status !== "complete" || customerId === null || methodId === null ? null : { customerId, methodId };
}

function answerOf(intent: Stripe.PaymentIntent): ChargeAnswer {
  if (intent.status === "processing") {
    return { kind: "pending", paymentId: intent.id };
  }
  const paid = intent.status === "succeeded" ? readPaid({ ...intent }) : null;
  return paid === null
    ? { kind: "failed", code: intent.last_payment_error?.code ?? intent.status }
    : { kind: "paid", paid };
}

const idOf = (named: string | { readonly id: string } | null): string | null =>
  typeof named === "string" ? named : (named?.id ?? null);
