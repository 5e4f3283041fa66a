import { createHmac } from "node:crypto";
import type { CardRequest } from "./card-request.ts";
import { hostedPage } from "./hosted-pages.ts";
import { SavedCardBook } from "./saved-card-book.ts";
import { SubscriptionBook } from "./subscription-book.ts";

type CardRefund = { readonly id: string; readonly status: string; readonly metadata: Record<string, string> };

/** A server that speaks the wire format of the card gateway. */
export class LocalCardGateway {
  readonly requests: CardRequest[] = [];
  /** By payment. */
  readonly refunds = new Map<string, CardRefund[]>();
  /** The initial state of new refunds. */
  refundStatus = "succeeded";
  readonly subscriptions = new SubscriptionBook();
  readonly saved = new SavedCardBook();
  /** Replaces the next responses, until it is reset. */
  override: ((request: CardRequest) => Response | Promise<Response>) | null = null;
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const isInAddress = request.method === "GET" || request.method === "DELETE";
    const fields = Object.fromEntries(isInAddress ? searchParams : new URLSearchParams(await request.text()));
    const received = {
      method: request.method,
      path: pathname,
      authorization: request.headers.get("authorization"),
      idempotencyKey: request.headers.get("idempotency-key"),
      fields,
    };
    this.requests.push(received);
    if (this.override !== null) {
      return await this.override(received);
    }
    const known =
      this.saved.answer(received, this.url) ??
      this.subscriptions.answer(received, this.url) ??
      hostedPage(this.subscriptions, received);
    if (known !== null) {
      return known;
    }
    if (pathname === "/v1/checkout/sessions") {
      const id = `cs_test_${fields["client_reference_id"]}`;
      return Response.json({ id, object: "checkout.session", url: `${this.url}/pay/${id}`, payment_intent: null });
    }
    if (pathname === "/v1/refunds") {
      return this.#refund(received);
    }
    return Response.json({ error: { type: "invalid_request_error", message: "unknown path" } }, { status: 404 });
  }

  #refund({ method, fields }: CardRequest): Response {
    const payment = fields["payment_intent"] ?? "";
    const known = this.refunds.get(payment) ?? [];
    if (method === "GET") {
      return Response.json({ object: "list", data: known, has_more: false, url: "/v1/refunds" });
    }
    const metadata = { refund_no: fields["metadata[refund_no]"] ?? "", trade_no: fields["metadata[trade_no]"] ?? "" };
    const refund = { id: `re_${payment}_${known.length + 1}`, object: "refund", status: this.refundStatus, metadata };
    this.refunds.set(payment, [...known, refund]);
    return Response.json(refund);
  }
}

export type PaidEvent = {
  readonly orderNo: string;
  readonly eventId?: string;
  readonly paymentId?: string;
  /** Cents. */
  readonly amount?: unknown;
  readonly currency?: string;
  readonly livemode?: boolean;
  readonly type?: string;
  readonly status?: string;
  /** Fields of the event itself, in addition to the usual ones or replacing them. */
  readonly more?: Record<string, unknown>;
  /** Of the payment, likewise. */
  readonly intent?: Record<string, unknown>;
};

const newId = (prefix: string): string => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;

/** The body of an event about a payment, as the gateway sends it: with line breaks and spaces. */
export function cardEventBody(event: PaidEvent): string {
  const { orderNo, amount = 1_000, currency = "usd", livemode = false, status = "succeeded" } = event;
  const body = {
    id: event.eventId ?? newId("evt"),
    object: "event",
    api_version: "2026-10-28.endive",
    created: 1_795_000_000,
    livemode,
    pending_webhooks: 1,
    type: event.type ?? "payment_intent.succeeded",
    data: {
      object: {
        id: event.paymentId ?? newId("pi"),
        object: "payment_intent",
        amount,
        amount_received: amount,
        currency,
        status,
        metadata: { trade_no: orderNo, svc_sender: "default", svc_vendor: "cardpay_card" },
        ...event.intent,
      },
    },
    ...event.more,
  };
  return JSON.stringify(body, null, 2);
}

/**
 * The signature header of the gateway over these bytes; implemented from its documentation, independently of the
 * product.
 */
export function signLikeCard(
  body: string | Uint8Array,
  secret: string,
  atSeconds = Math.floor(Date.now() / 1_000),
): string {
  return `t=${atSeconds},v1=${hmacOf(body, secret, atSeconds)}`;
}

export function hmacOf(body: string | Uint8Array, secret: string, atSeconds: number): string {
  return createHmac("sha256", secret).update(`${atSeconds}.`).update(body).digest("hex");
}
