import type { CardRequest } from "./card-request.ts";

type Session = { readonly renewalNo: string; readonly cents: number; readonly successUrl: string };

type Subscription = {
  readonly id: string;
  readonly customer: string;
  readonly renewalNo: string;
  readonly anchor: Date;
  cents: number;
  status: string;
  isCancelledAtEnd: boolean;
  latestInvoiceId: string | null;
  /** How many months have begun. */
  months: number;
};

export type Invoice = {
  readonly id: string;
  readonly subscription: Subscription;
  readonly cents: number;
  readonly start: Date;
  readonly end: Date;
  status: "draft" | "open" | "paid" | "void";
  attempts: number;
};

export type BookEvent = { readonly type: string; readonly object: Record<string, unknown> };

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
const textId = (prefix: string): string => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;

/** The day of the month stays that of the first month, as far as a month has it. */
export function monthsAfter(anchor: Date, months: number): Date {
  const first = new Date(Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + months, 1));
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const moved = new Date(first.getTime() + (Math.min(anchor.getUTCDate(), days) - 1) * 86_400_000);
  return new Date(moved.getTime() + (anchor.getTime() % 86_400_000));
}

/** The subscriptions of the card gateway, under a clock that a test advances. Written from its documentation. */
export class SubscriptionBook {
  now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  /** Whether the customer's bank accepts charges. */
  isCardGood = true;
  /** Whether invoices wait as drafts before they are charged, as they do for about an hour. */
  hasDrafts = false;
  /** What happened and was not taken yet, in its order. */
  readonly events: BookEvent[] = [];
  readonly invoices = new Map<string, Invoice>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #sessions = new Map<string, Session>();

  /** The events so far, which are then forgotten. */
  take(): BookEvent[] {
    return this.events.splice(0);
  }

  /** Forgets everything, and starts at a time. */
  reset(now: Date): void {
    this.now = now;
    this.isCardGood = true;
    this.hasDrafts = false;
    this.events.length = 0;
    this.#subscriptions.clear();
  }

  subscriptionOf(renewalNo: string): Subscription {
    const found = [...this.#subscriptions.values()].find((each) => each.renewalNo === renewalNo);
    if (found === undefined) {
      throw new Error(`nobody has paid for ${renewalNo}`);
    }
    return found;
  }

  /** What a hosted page is about; null for one that is closed, or was never opened. */
  sessionOf(id: string): Session | null {
    return this.#sessions.get(id) ?? null;
  }

  /** The customer pays on the hosted page. */
  pay(renewalNo: string): void {
    const session = [...this.#sessions.values()].find((each) => each.renewalNo === renewalNo);
    if (session === undefined) {
      throw new Error(`no page was opened for ${renewalNo}`);
    }
    const subscription: Subscription = {
      ...{ id: textId("sub"), customer: textId("cus"), renewalNo, anchor: this.now, cents: session.cents },
      ...{ status: "active", isCancelledAtEnd: false, latestInvoiceId: null, months: 0 },
    };
    this.#subscriptions.set(subscription.id, subscription);
    const invoice = this.#bill(subscription);
    const metadata = { renewal_no: renewalNo };
    const page = {
      id: textId("cs"),
      mode: "subscription",
      subscription: subscription.id,
      invoice: invoice.id,
      metadata,
    };
    this.events.push({ type: "checkout.session.completed", object: page });
    this.#tell("customer.subscription.created", subscription);
  }

  /** Moves the clock, month by month: each end of a month brings a charge, or an end. */
  advance(to: Date): void {
    for (const subscription of this.#subscriptions.values()) {
      while (subscription.status === "active" && monthsAfter(subscription.anchor, subscription.months) <= to) {
        if (subscription.isCancelledAtEnd) {
          this.#end(subscription);
        } else {
          this.#bill(subscription);
        }
      }
    }
    this.now = to;
  }

  /** Another try of an open invoice. */
  retry(renewalNo: string): void {
    const subscription = this.subscriptionOf(renewalNo);
    for (const invoice of this.invoices.values()) {
      if (invoice.subscription === subscription && (invoice.status === "open" || invoice.status === "draft")) {
        this.#charge(invoice);
      }
    }
  }

  /** Null for a request about something else. */
  answer({ method, path, fields }: CardRequest, url: string): Response | null {
    if (path === "/v1/checkout/sessions" && fields["mode"] === "subscription") {
      const renewalNo = fields["subscription_data[metadata][renewal_no]"] ?? "";
      const id = `cs_test_${renewalNo}`;
      const cents = Number(fields["line_items[0][price_data][unit_amount]"]);
      this.#sessions.set(id, { renewalNo, cents, successUrl: fields["success_url"] ?? "" });
      return Response.json({ id, object: "checkout.session", url: `${url}/pay/${id}` });
    }
    if (path === "/v1/billing_portal/sessions") {
      return Response.json({ id: textId("bps"), object: "billing_portal.session", url: `${url}/portal` });
    }
    const [, closed] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path) ?? [];
    if (closed !== undefined) {
      return this.#sessions.delete(closed) ? Response.json({ id: closed, object: "checkout.session" }) : missing();
    }
    const [, kind, id = "", act] = /^\/v1\/(subscriptions|invoices)\/(\w+?)(\/void)?$/.exec(path) ?? [];
    if (kind === undefined) {
      return null;
    }
    if (kind === "invoices") {
      const invoice = this.invoices.get(id);
      if (invoice !== undefined && (act !== undefined || fields["auto_advance"] === "false")) {
        invoice.status = "void";
      }
      return invoice === undefined ? missing() : Response.json(invoiceObject(invoice, true));
    }
    const subscription = this.#subscriptions.get(id);
    return subscription === undefined ? missing() : this.#ofSubscription(subscription, method, fields);
  }

  #ofSubscription(subscription: Subscription, method: string, fields: CardRequest["fields"]): Response {
    if (method === "DELETE") {
      this.#end(subscription);
    }
    const atEnd = fields["cancel_at_period_end"];
    if (atEnd !== undefined) {
      subscription.isCancelledAtEnd = atEnd === "true";
      this.#tell("customer.subscription.updated", subscription);
    }
    const cents = fields["items[0][price_data][unit_amount]"];
    if (cents !== undefined) {
      subscription.cents = Number(cents);
      this.#tell("customer.subscription.updated", subscription);
    }
    const invoice = this.invoices.get(subscription.latestInvoiceId ?? "");
    const isExpanded = fields["expand[0]"] === "latest_invoice" && invoice !== undefined;
    const expanded = isExpanded ? { latest_invoice: invoiceObject(invoice, false) } : {};
    return Response.json({ ...subscriptionObject(subscription), ...expanded });
  }

  /** The gateway loses a subscription, as data of tests. */
  forget(renewalNo: string): void {
    this.#subscriptions.delete(this.subscriptionOf(renewalNo).id);
  }

  #bill(subscription: Subscription): Invoice {
    const start = monthsAfter(subscription.anchor, subscription.months);
    subscription.months += 1;
    const end = monthsAfter(subscription.anchor, subscription.months);
    const { cents } = subscription;
    const invoice: Invoice = { id: textId("in"), subscription, cents, start, end, status: "open", attempts: 0 };
    this.invoices.set(invoice.id, invoice);
    subscription.latestInvoiceId = invoice.id;
    if (this.hasDrafts) {
      invoice.status = "draft";
    } else {
      this.#charge(invoice);
    }
    return invoice;
  }

  #charge(invoice: Invoice): void {
    invoice.attempts += 1;
    invoice.status = this.isCardGood ? "paid" : "open";
    invoice.subscription.status = this.isCardGood ? "active" : "past_due";
    const type = this.isCardGood ? "invoice.paid" : "invoice.payment_failed";
    this.events.push({ type, object: invoiceObject(invoice, false) });
    this.#tell("customer.subscription.updated", invoice.subscription);
    if (this.isCardGood) {
      const intent = { id: paymentOf(invoice), object: "payment_intent", status: "succeeded", metadata: {} };
      this.events.push({ type: "payment_intent.succeeded", object: intent });
    }
  }

  #end(subscription: Subscription): void {
    subscription.status = "canceled";
    this.#tell("customer.subscription.deleted", subscription);
  }

  #tell(type: string, subscription: Subscription): void {
    this.events.push({ type, object: subscriptionObject(subscription) });
  }
}

const paymentOf = ({ id }: Invoice): string => `pi_${id}`;

function missing(): Response {
  const error = { type: "invalid_request_error", code: "resource_missing", message: "no such object" };
  return Response.json({ error }, { status: 404 });
}

function subscriptionObject(subscription: Subscription): Record<string, unknown> {
  const { id, customer, renewalNo, status, isCancelledAtEnd, latestInvoiceId, anchor, months, cents } = subscription;
  const price = { id: "price_1", object: "price", product: "prod_1", unit_amount: cents };
  const current = {
    current_period_start: seconds(monthsAfter(anchor, months - 1)),
    current_period_end: seconds(monthsAfter(anchor, months)),
  };
  return {
    ...{ id, object: "subscription", customer, status, metadata: { renewal_no: renewalNo } },
    ...{ cancel_at_period_end: isCancelledAtEnd, cancel_at: null, latest_invoice: latestInvoiceId },
    items: { object: "list", data: [{ id: `si_${id}`, object: "subscription_item", price, ...current }] },
  };
}

/** In an event, the payments are not included. */
function invoiceObject(invoice: Invoice, withPayments: boolean): Record<string, unknown> {
  const { id, subscription, cents, start, end, status, attempts } = invoice;
  const payment = { type: "payment_intent", payment_intent: paymentOf(invoice) };
  const payments = status === "paid" ? [{ id: `inpay_${id}`, object: "invoice_payment", status: "paid", payment }] : [];
  return {
    ...{ id, object: "invoice", status, currency: "usd", attempt_count: attempts, amount_due: cents },
    amount_paid: status === "paid" ? cents : 0,
    parent: {
      type: "subscription_details",
      subscription_details: { subscription: subscription.id, metadata: { renewal_no: subscription.renewalNo } },
    },
    lines: {
      object: "list",
      data: [{ id: `il_${id}`, object: "line_item", period: { start: seconds(start), end: seconds(end) } }],
    },
    ...(withPayments ? { payments: { object: "list", data: payments } } : {}),
  };
}
