import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { type Attack, type Target, withstand } from "../../support/payments/attack.ts";
import { cardEventBody, hmacOf, type PaidEvent, signLikeCard } from "../../support/payments/card-gateway.ts";
import { cardSecrets, PaymentScene } from "../../support/payments/payment-scene.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const secret = cardSecrets.default;
const now = (): number => Math.floor(Date.now() / 1_000);
const bodyFor = (order: Order, change: Partial<PaidEvent> = {}): string =>
  cardEventBody({ orderNo: order.orderNo, ...change });

/** A body with a valid signature, which claims what the gateway would never report about this order. */
const signed =
  (change: Partial<PaidEvent>, account = "") =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const body = bodyFor(order, change);
    return at.postEvent(body, signLikeCard(body, secret), account);
  };

/** The right body under a header that is wrong. */
const header =
  (make: (body: string) => string | null) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const body = bodyFor(order);
    return at.postEvent(body, make(body));
  };

/** The right body, signed, and then changed in transit. */
const altered =
  (change: (body: string) => string | Uint8Array) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const body = bodyFor(order);
    return at.postEvent(change(body), signLikeCard(body, secret));
  };

/** Bytes with a valid signature. */
const bytes =
  (make: (order: Order) => string | Uint8Array) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const body = make(order);
    return at.postEvent(body, signLikeCard(body, secret));
  };

/** Everything right, while the secret store holds other secrets, with which it is signed where they can be used. */
const configured =
  (secrets: Record<string, string | undefined>, key: string) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const body = bodyFor(order);
    const signature = key === "" ? `t=${now()},v1=${hmacOf(body, "", now())}` : signLikeCard(body, key);
    return at.withSecrets(secrets, () => at.postEvent(body, signature));
  };

const refused = { status: 400, answer: "invalid_signature" } as const;
const stale = { status: 400, answer: "timestamp_out_of_range" } as const;
const malformed = { status: 400, answer: "invalid_value" } as const;
const closed = { status: 503, answer: "webhook_not_configured" } as const;
const ignored = { status: 200, answer: "ignored" } as const;
const review = { status: 200, answer: "review", order: "review" } as const;
const webhook = "cardpay.default.webhook_secret";

const signatures: Attack[] = [
  { what: "no signature", ...refused, run: header(() => null) },
  { what: "an empty signature", ...refused, run: header(() => "") },
  { what: "a malformed signature", ...refused, run: header(() => "t=1,v1") },
  { what: "a signature without a time", ...refused, run: header((body) => `v1=${hmacOf(body, secret, now())}`) },
  { what: "a time that is not a number", ...refused, run: header((body) => `t=now,v1=${hmacOf(body, secret, now())}`) },
  {
    what: "two times, one of them signed",
    ...refused,
    run: header((body) => `t=${now()},t=${now() - 3_600},v1=${hmacOf(body, secret, now() - 3_600)}`),
  },
  {
    what: "a signature of the old scheme only",
    ...refused,
    run: header((body) => signLikeCard(body, secret).replace("v1=", "v0=")),
  },
  {
    what: "a signature in capitals",
    ...refused,
    run: header((body) => `t=${now()},v1=${hmacOf(body, secret, now()).toUpperCase()}`),
  },
  { what: "a cut signature", ...refused, run: header((body) => signLikeCard(body, secret).slice(0, -1)) },
  {
    what: "a signature over the body alone",
    ...refused,
    run: header((body) => `t=${now()},v1=${hmacOf(body, secret, 0)}`),
  },
  { what: "another secret", ...refused, run: header((body) => signLikeCard(body, `${secret}0`)) },
  { what: "the secret without its prefix", ...refused, run: header((body) => signLikeCard(body, secret.slice(6))) },
  { what: "an empty secret", ...refused, run: header((body) => `t=${now()},v1=${hmacOf(body, "", now())}`) },
  { what: "a time of 301 seconds ago", ...stale, run: header((body) => signLikeCard(body, secret, now() - 302)) },
  { what: "a time in an hour", ...stale, run: header((body) => signLikeCard(body, secret, now() + 3_600)) },
  { what: "a time in 301 seconds", ...stale, run: header((body) => signLikeCard(body, secret, now() + 302)) },
  { what: "the time 0", ...stale, run: header((body) => signLikeCard(body, secret, 0)) },
  {
    what: "an old signature under a new time",
    ...refused,
    run: header((body) => `t=${now()},v1=${hmacOf(body, secret, now() - 3_600)}`),
  },
];

const bodies: Attack[] = [
  { what: "a rewritten body", ...refused, run: altered((body) => JSON.stringify(JSON.parse(body))) },
  { what: "one more line break", ...refused, run: altered((body) => `${body}\n`) },
  { what: "a byte order mark", ...refused, run: altered((body) => `\uFEFF${body}`) },
  { what: "another amount", ...refused, run: altered((body) => body.replaceAll("1000", "1001")) },
  { what: "another order", ...refused, run: altered((body) => body.replace(/"trade_no": "\w/, '"trade_no": "X')) },
  { what: "an empty body", ...refused, run: altered(() => "") },
  {
    what: "bytes that are not UTF-8",
    ...refused,
    run: bytes((order) => Buffer.from(`${bodyFor(order)}\xff`, "latin1")),
  },
  {
    what: "bytes that a lenient reader takes for the signed text",
    ...refused,
    run: ({ scene: at, order }) => {
      const body = bodyFor(order, { more: { note: "\uFFFD" } });
      return at.postEvent(Buffer.from(body.replace("\uFFFD", "\u00ff"), "latin1"), signLikeCard(body, secret));
    },
  },
  {
    what: "text that is not JSON",
    status: 400,
    answer: "invalid_json",
    run: bytes((order) => bodyFor(order).slice(0, -1)),
  },
  { what: "null", ...malformed, run: bytes(() => "null") },
  { what: "a list", ...malformed, run: bytes((order) => `[${bodyFor(order)}]`) },
  { what: "an event without a mode", ...malformed, run: signed({ more: { livemode: null } }) },
  { what: "an event without an id", ...malformed, run: signed({ more: { id: "" } }) },
  {
    what: "a compressed body",
    status: 415,
    answer: "unsupported_encoding",
    run: ({ scene: at, order }) => {
      const body = Bun.gzipSync(Buffer.from(bodyFor(order)));
      const headers = { "stripe-signature": signLikeCard(body, secret), "content-encoding": "gzip" };
      return at.post("/backend/payment/cardpay/webhook/", body, headers);
    },
  },
  {
    what: "a body of 257 KiB",
    status: 413,
    answer: "request_too_large",
    run: signed({ more: { padding: "x".repeat(257 * 1_024) } }),
  },
];

const accounts: Attack[] = [
  { what: "an event of the default account at the address of another", ...refused, run: signed({}, "account_a") },
  {
    what: "an event of another account at the address of the default",
    ...refused,
    run: header((body) => signLikeCard(body, cardSecrets.account_a)),
  },
  {
    what: "a payment that another account took for an order of the default",
    ...review,
    run: ({ scene: at, order }) => {
      const body = bodyFor(order);
      return at.postEvent(body, signLikeCard(body, cardSecrets.account_a), "account_a");
    },
  },
  {
    what: "an event of an account that is connected to ours",
    status: 400,
    answer: "account_mismatch",
    run: signed({ more: { account: "acct_1" } }),
  },
  {
    what: "a real payment at a test account",
    status: 200,
    answer: "wrong_mode",
    run: signed({ livemode: true }),
  },
  {
    what: "a test payment at a real account",
    status: 200,
    answer: "wrong_mode",
    run: ({ scene: at, order }) => {
      const body = bodyFor(order);
      return at.postEvent(body, signLikeCard(body, cardSecrets.account_b), "account_b");
    },
  },
  { what: "no webhook secret", ...closed, run: configured({ [webhook]: undefined }, secret) },
  { what: "an empty webhook secret", ...closed, run: configured({ [webhook]: "" }, "") },
  { what: "a blank webhook secret", ...closed, run: configured({ [webhook]: " \n".repeat(20) }, " \n".repeat(20)) },
  { what: "a short webhook secret", ...closed, run: configured({ [webhook]: "whsec_1" }, "whsec_1") },
  {
    what: "an account without a key, and so of unknown mode",
    ...closed,
    run: configured({ "cardpay.default.secret_key": undefined }, secret),
  },
  {
    what: "GET",
    status: 405,
    answer: "method_not_allowed",
    run: ({ scene: at }) => at.get("/backend/payment/cardpay/webhook/"),
  },
];

const contents: Attack[] = [
  { what: "a cent less", ...review, run: signed({ amount: 999 }) },
  { what: "a cent more", ...review, run: signed({ amount: 1_001 }) },
  { what: "nothing", ...review, run: signed({ amount: 0 }) },
  { what: "another currency", ...review, run: signed({ currency: "eur" }) },
  { what: "a fraction of a cent", ...malformed, run: signed({ amount: 1_000.5 }) },
  { what: "an amount as text", ...malformed, run: signed({ amount: "1000" }) },
  { what: "a negative amount", ...malformed, run: signed({ amount: -1_000 }) },
  { what: "an amount beyond any number", ...malformed, run: signed({ amount: 1e300 }) },
  {
    what: "an amount that was requested but not received",
    ...malformed,
    run: signed({ intent: { amount_received: undefined } }),
  },
  { what: "a payment that has not succeeded", ...malformed, run: signed({ status: "processing" }) },
  { what: "a payment without an id", ...malformed, run: signed({ paymentId: "" }) },
  { what: "an event of another kind", ...ignored, run: signed({ type: "payment_intent.created" }) },
  { what: "a completed session", ...ignored, run: signed({ type: "checkout.session.completed" }) },
  { what: "no order", ...ignored, run: signed({ intent: { metadata: {} } }) },
  { what: "a list instead of an order", ...ignored, run: signed({ intent: { metadata: { trade_no: ["S1"] } } }) },
  {
    what: "an unknown order",
    status: 200,
    answer: "unknown_order",
    run: signed({ orderNo: "S0000000000000000000000000" }),
  },
  {
    what: "an id that was used before with other content",
    status: 409,
    answer: "event_conflict",
    run: async (target) => {
      const eventId = `evt_${target.order.orderNo}`;
      await signed({ eventId, type: "payment_intent.created" })(target);
      return await signed({ eventId })(target);
    },
  },
];

describe.each([
  ["signature", signatures],
  ["body", bodies],
  ["account", accounts],
  ["content", contents],
])("a forged card event, by its %s, credits nothing:", (_by, attacks) => {
  test.each(attacks.map((attack): [string, Attack] => [attack.what, attack]))("%s", async (_what, attack) => {
    await withstand(scene, attack, "cardpay");
  });
});

test("an event of the card gateway completes no order of the wallet gateway", async () => {
  await withstand(scene, { what: "cross-gateway", ...review, run: signed({}) }, "walletpay");
});

test("the same bytes settle an order when nothing about them is forged", async () => {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer, "credit", "cardpay");
  const answer = await signed({})({ scene, buyer, order });
  expect(await answer.json()).toMatchObject({ result: "settled" });
  expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
});

test("production accepts no test payments", async () => {
  await using production = await PaymentScene.create({ NODE_ENV: "production" });
  await withstand(
    production,
    { what: "a test key", ...closed, run: header((body) => signLikeCard(body, secret)) },
    "cardpay",
  );
});
