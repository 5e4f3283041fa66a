import type { CardRequest } from "./card-request.ts";

type Intent = {
  readonly id: string;
  readonly cents: number;
  readonly metadata: Record<string, string>;
  readonly method: string;
  status: string;
};

/** Where a customer saves a method. */
type Page = { status: "open" | "complete" | "expired"; customer: string | null; method: string | null };

const textId = (prefix: string): string => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`;

/** The saved payment methods of the card gateway, and charges of them. Written from its documentation. */
export class SavedCardBook {
  /** How the bank answers the next charges: by a state, or the code of a refusal. */
  bank: "succeeded" | "processing" | "card_declined" | "authentication_required" = "succeeded";
  readonly intents = new Map<string, Intent>();
  readonly detached: string[] = [];
  readonly #pages = new Map<string, Page>();
  /** What was answered under an idempotency key. */
  readonly #answers = new Map<string, { readonly status: number; readonly body: object }>();

  /** The customer saves a card on the page. Returns its name at the gateway. */
  save(topUpNo: string): string {
    const page = this.#pages.get(`cs_setup_${topUpNo}`);
    if (page?.status !== "open") {
      throw new Error(`the page for ${topUpNo} is ${page?.status ?? "missing"}`);
    }
    const method = textId("pm");
    Object.assign(page, { status: "complete", customer: textId("cus"), method });
    return method;
  }

  statusOf(topUpNo: string): string | undefined {
    return this.#pages.get(`cs_setup_${topUpNo}`)?.status;
  }

  /** The gateway no longer has the page. */
  lose(topUpNo: string): void {
    this.#pages.delete(`cs_setup_${topUpNo}`);
  }

  /** The payments that took money, for an order. */
  paidFor(orderNo: string): readonly Intent[] {
    return [...this.intents.values()].filter(
      ({ status, metadata }) => status === "succeeded" && metadata["trade_no"] === orderNo,
    );
  }

  /** Null for a request about something else. */
  answer({ method, path, fields, idempotencyKey }: CardRequest, url: string): Response | null {
    if (path === "/v1/checkout/sessions" && fields["mode"] === "setup") {
      const id = `cs_setup_${fields["metadata[top_up_no]"]}`;
      this.#pages.set(id, this.#pages.get(id) ?? { status: "open", customer: null, method: null });
      return Response.json({ id, object: "checkout.session", url: `${url}/setup/${id}` });
    }
    const [, name = "", expire] = /^\/v1\/checkout\/sessions\/(cs_setup_\w+?)(\/expire)?$/.exec(path) ?? [];
    const page = this.#pages.get(name);
    if (page !== undefined) {
      return answerPage(name, page, expire !== undefined);
    }
    const [, detached] = /^\/v1\/payment_methods\/(\w+)\/detach$/.exec(path) ?? [];
    if (detached !== undefined) {
      if (this.detached.includes(detached)) {
        return refusal("The payment method is not attached to a customer.");
      }
      this.detached.push(detached);
      return Response.json({ id: detached, object: "payment_method" });
    }
    if (path === "/v1/payment_intents" && method === "POST") {
      const key = idempotencyKey ?? textId("key");
      const known = this.#answers.get(key) ?? this.#charge(fields);
      if (known === null) {
        const error = { type: "invalid_request_error", code: "resource_missing", message: "No such payment method" };
        return Response.json({ error }, { status: 400 });
      }
      this.#answers.set(key, known);
      return Response.json(known.body, { status: known.status });
    }
    const [, id = "", act] = /^\/v1\/payment_intents\/(\w+?)(\/cancel)?$/.exec(path) ?? [];
    const intent = this.intents.get(id);
    if (intent !== undefined && act !== undefined && intent.status !== "succeeded") {
      intent.status = "canceled";
    }
    return intent === undefined ? null : Response.json(bodyOf(intent));
  }

  /** Null for a method that was detached: the request is refused, and nothing is remembered. */
  #charge(fields: CardRequest["fields"]): { readonly status: number; readonly body: object } | null {
    if (this.detached.includes(fields["payment_method"] ?? "")) {
      return null;
    }
    const isRefused = this.bank === "card_declined" || this.bank === "authentication_required";
    const intent: Intent = {
      id: textId("pi"),
      cents: Number(fields["amount"]),
      metadata: { trade_no: fields["metadata[trade_no]"] ?? "" },
      method: fields["payment_method"] ?? "",
      status: isRefused ? "requires_payment_method" : this.bank,
    };
    this.intents.set(intent.id, intent);
    const error = { type: "card_error", code: this.bank, message: "refused", payment_intent: bodyOf(intent) };
    return isRefused ? { status: 402, body: { error } } : { status: 200, body: bodyOf(intent) };
  }
}

/** Only an open page can be closed. */
function answerPage(id: string, page: Page, isExpiring: boolean): Response {
  if (isExpiring && page.status !== "open") {
    return refusal(`Only open sessions can be expired; this one is ${page.status}.`);
  }
  page.status = isExpiring ? "expired" : page.status;
  const { status, customer, method } = page;
  const setup_intent = { id: textId("seti"), object: "setup_intent", payment_method: method };
  return Response.json({ id, status, customer, setup_intent });
}

function refusal(message: string): Response {
  return Response.json({ error: { type: "invalid_request_error", message } }, { status: 400 });
}

function bodyOf({ id, cents, metadata, status }: Intent): object {
  return {
    ...{ id, object: "payment_intent", amount: cents, currency: "usd", metadata, status },
    amount_received: status === "succeeded" ? cents : 0,
    last_payment_error: null,
  };
}
