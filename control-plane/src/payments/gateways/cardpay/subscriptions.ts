import type { Decimal } from "@sluice/contracts/money";
import type { CardSender } from "@sluice/contracts/payments";
import type { Stripe } from "stripe";
import { AppError } from "../../../platform/errors.ts";
import { type Checkout, toCents } from "../model.ts";
import type { GatewayInvoice, GatewaySubscription, SubscriptionCheckout, SubscriptionGateway } from "../port.ts";
import { asked, orMissing, orRefused } from "./failure.ts";
import { readAmount, readNumber } from "./notice.ts";

type ClientOf = (account: CardSender) => Promise<Stripe>;

/** Subscriptions by the gateway's hosted pages: no card data comes here. */
export class CardSubscriptions implements SubscriptionGateway {
  readonly #clientOf: ClientOf;
  readonly #returnUrl: string;

  constructor(clientOf: ClientOf, publicBaseUrl: string) {
    this.#clientOf = clientOf;
    this.#returnUrl = `${publicBaseUrl}/console/billing/`;
  }

  async openCheckout(request: SubscriptionCheckout): Promise<Checkout> {
    const client = await this.#clientOf(request.account);
    const options = { idempotencyKey: `renewal:${request.renewalNo}:1` };
    const session = await asked(client.checkout.sessions.create(sessionParams(request, this.#returnUrl), options));
    if (session.url === null || !URL.canParse(session.url)) {
      throw new AppError("payment_gateway_failed", { internal: { gateway: "cardpay", reason: "no address" } });
    }
    return { url: session.url, reference: session.id };
  }

  async readSubscription(account: CardSender, id: string): Promise<GatewaySubscription | null> {
    const client = await this.#clientOf(account);
    const found = await orMissing(client.subscriptions.retrieve(id));
    return found === null ? null : subscriptionOf(found);
  }

  async readInvoice(account: CardSender, id: string): Promise<GatewayInvoice | null> {
    const client = await this.#clientOf(account);
    const found = await orMissing(client.invoices.retrieve(id, { expand: ["payments"] }));
    return found === null ? null : invoiceOf(found);
  }

  async cancel(account: CardSender, id: string, when: "at_end" | "now"): Promise<void> {
    const client = await this.#clientOf(account);
    const expand = ["latest_invoice"];
    const known = await orMissing(client.subscriptions.retrieve(id, { expand }));
    if (known === null || known.status === "incomplete_expired") {
      return;
    }
    if (when === "at_end" && mayRunOut(known)) {
      // The next month may begin at this moment.
      const updated = await asked(client.subscriptions.update(id, { cancel_at_period_end: true, expand }));
      if (mayRunOut(updated)) {
        return;
      }
    }
    const ended =
      known.status === "canceled"
        ? known
        : await asked(client.subscriptions.cancel(id, { invoice_now: false, prorate: false, expand }));
    await stopInvoice(client, ended.latest_invoice);
  }

  async closeCheckout(account: CardSender, reference: string): Promise<void> {
    const client = await this.#clientOf(account);
    await orRefused(client.checkout.sessions.expire(reference));
  }

  async changePrice(
    account: CardSender,
    id: string,
    { priceUsd, key }: { readonly priceUsd: Decimal; readonly key: string },
  ): Promise<void> {
    const client = await this.#clientOf(account);
    const [item] = (await asked(client.subscriptions.retrieve(id))).items.data;
    if (item === undefined) {
      throw new AppError("payment_gateway_failed", { internal: { gateway: "cardpay", reason: "no item" } });
    }
    const { product } = item.price;
    const price = {
      currency: "usd",
      product: typeof product === "string" ? product : product.id,
      recurring: { interval: "month" as const },
      unit_amount: toCents(priceUsd),
    };
    // The running month keeps its price: nothing is charged or given back for it.
    const change = { items: [{ id: item.id, price_data: price }], proration_behavior: "none" as const };
    await asked(client.subscriptions.update(id, change, { idempotencyKey: key }));
  }

  async openPortal(account: CardSender, customerId: string): Promise<string> {
    const client = await this.#clientOf(account);
    const { url } = await asked(
      client.billingPortal.sessions.create({ customer: customerId, return_url: this.#returnUrl }),
    );
    return url;
  }
}

/** They depend on the renewal alone, so that a repetition under the same idempotency key is identical in every byte. */
function sessionParams(request: SubscriptionCheckout, returnUrl: string): Stripe.Checkout.SessionCreateParams {
  const { renewalNo, account, planCode, planName, priceUsd, email, closesAt } = request;
  // The session keeps its own copy; events of invoices have the subscription's.
  const metadata = { renewal_no: renewalNo, product_id: planCode, svc_product_id: planCode, svc_sender: account };
  return {
    mode: "subscription",
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: "usd",
          unit_amount: toCents(priceUsd),
          recurring: { interval: "month" },
          product_data: { name: planName },
        },
      },
    ],
    allowed_payment_method_types: ["card"],
    client_reference_id: renewalNo,
    metadata,
    subscription_data: { metadata },
    customer_email: email,
    expires_at: Math.floor(closesAt.getTime() / 1_000),
    success_url: `${returnUrl}?renewal=${renewalNo}`,
    cancel_url: returnUrl,
  };
}

/** Whether the month that began last is paid, so that nothing is charged until it ends. */
function mayRunOut({ status, latest_invoice: invoice }: Stripe.Subscription): boolean {
  const isPaid = typeof invoice === "object" && invoice?.status === "paid";
  return (status === "active" || status === "trialing") && isPaid;
}

/** An invoice outlives its subscription: a draft would be charged within the hour, and an open one tried again. */
async function stopInvoice(client: Stripe, invoice: Stripe.Subscription["latest_invoice"]): Promise<void> {
  if (typeof invoice !== "object" || invoice?.id === undefined) {
    return;
  }
  if (invoice.status === "draft") {
    await asked(client.invoices.update(invoice.id, { auto_advance: false }));
  } else if (invoice.status === "open") {
    await asked(client.invoices.voidInvoice(invoice.id));
  }
}

function subscriptionOf(found: Stripe.Subscription): GatewaySubscription {
  return {
    id: found.id,
    customerId: typeof found.customer === "string" ? found.customer : found.customer.id,
    renewalNo: readNumber(found.metadata, "renewal_no"),
    state: stateOf(found.status),
    isCancelledAtEnd: found.cancel_at_period_end || found.cancel_at !== null,
    latestInvoiceId: idOf(found.latest_invoice),
  };
}

/** The gateway names an object by its id, or includes it. */
function idOf(named: string | { readonly id?: string } | null): string | null {
  return typeof named === "string" ? named : (named?.id ?? null);
}

function stateOf(status: Stripe.Subscription.Status): GatewaySubscription["state"] {
  switch (status) {
    case "active":
    case "trialing":
      return "active";
    case "canceled":
    case "incomplete_expired":
      return "ended";
    case "incomplete":
      return "pending";
    default:
      return "past_due";
  }
}

function invoiceOf(found: Stripe.Invoice): GatewayInvoice | null {
  // Changes within a month have lines of their own; the month is the one that ends last.
  const months = found.lines.data.map(({ period }) => period);
  const [month] = months.sort((one, other) => other.end - one.end);
  if (found.id === undefined || month === undefined) {
    return null;
  }
  return {
    id: found.id,
    subscriptionId: idOf(found.parent?.subscription_details?.subscription ?? null),
    paid: found.status === "paid" ? paidOf(found, found.id) : null,
    periodStart: new Date(month.start * 1_000),
    periodEnd: new Date(month.end * 1_000),
    attempts: found.attempt_count,
  };
}

/** Null for an invoice of nothing, which the gateway counts as paid. */
function paidOf(found: Stripe.Invoice, id: string): GatewayInvoice["paid"] {
  const currency = found.currency.toUpperCase();
  const amountUsd = readAmount(found.amount_paid, currency);
  if (amountUsd === null || found.amount_paid === 0) {
    return null;
  }
  const intents = (found.payments?.data ?? [])
    .filter(({ status }) => status === "paid")
    .map(({ payment: { payment_intent: intent } }) => (typeof intent === "object" ? intent.id : intent));
  // An invoice that the operator marked as paid has no payment at the gateway.
  return { transactionId: intents.find((intent) => intent !== undefined) ?? id, amountUsd, currency };
}
