import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Order } from "@sluice/control-plane/payments/model.ts";
import { type Attack, type Target, withstand } from "../../support/payments/attack.ts";
import { PaymentScene } from "../../support/payments/payment-scene.ts";
import {
  notificationOf,
  signLikeWallet,
  type WalletFields,
  type WalletTransaction,
  walletToken,
} from "../../support/payments/wallet-gateway.ts";

let scene: PaymentScene;

beforeAll(async () => {
  scene = await PaymentScene.create();
});

afterEach(() => {
  scene.wallet.override = null;
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const paid: WalletTransaction = { transactionNo: "1", status: "success", amount: "10.00", currency: "USD" };
const path = "/backend/payment/walletpay/ipn/";

/** What the gateway would send for this order, unsigned; the gateway itself knows nothing of it. */
function fieldsFor({ orderNo }: Order, change: WalletFields = {}): WalletFields {
  return { ...notificationOf(orderNo, { ...paid, transactionNo: `9${Date.now()}${orderNo.slice(-6)}` }), ...change };
}

/** Fields as a form in this order; names may come more than once. */
const formOf = (pairs: Iterable<readonly [string, string]>): string =>
  new URLSearchParams([...pairs].map(([name, value]): [string, string] => [name, value])).toString();

/** A payment of this order at the gateway whose notification is changed in transit. */
const altered =
  (change: (fields: WalletFields, target: Target) => WalletFields) =>
  (target: Target): Promise<Response> =>
    target.scene.postNotice(change(target.scene.wallet.pay(target.order.orderNo), target));

/** The same, changed as text. */
const rewritten =
  (change: (pairs: [string, string][]) => string | Uint8Array) =>
  (target: Target): Promise<Response> =>
    target.scene.postForm(change(Object.entries(target.scene.wallet.pay(target.order.orderNo))));

/** A notification with a valid signature and these values, which the gateway confirms when asked. */
const confirmed =
  (said: Partial<WalletTransaction>, change: WalletFields = {}) =>
  ({ scene: at, order }: Target): Promise<Response> =>
    at.postSigned({ ...at.wallet.pay(order.orderNo, said), ...change });

/** A notification with a valid signature about a payment that the gateway reports differently. */
const unconfirmed =
  (said: Partial<WalletTransaction> | null) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const fields = fieldsFor(order);
    if (said !== null) {
      at.wallet.transactions.set(order.orderNo, { ...paid, transactionNo: fields["transactionNo"] ?? "", ...said });
    }
    return at.postSigned(fields);
  };

/** Everything is right, but the gateway responds to the query in this way. */
const unanswered =
  (override: () => Response | Promise<Response>) =>
  (target: Target): Promise<Response> => {
    const fields = target.scene.wallet.pay(target.order.orderNo);
    target.scene.wallet.override = override;
    return target.scene.postNotice(fields);
  };

/** Everything right, under a token that is configured and too weak, or not there. */
const configured =
  (token: string | undefined) =>
  ({ scene: at, order }: Target): Promise<Response> => {
    const fields = signLikeWallet(at.wallet.pay(order.orderNo), token ?? walletToken);
    return at.withSecrets({ "walletpay.token": token }, () => at.postNotice(fields));
  };

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
const joined = (fields: WalletFields): string =>
  Object.keys(fields)
    .filter((name) => name !== "verifySign")
    .sort()
    .map((name) => `${name}=${fields[name]}&`)
    .join("");
const without = (fields: WalletFields, name: string): WalletFields =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));

const refused = { status: 400, answer: "invalid_signature" } as const;
const malformed = { status: 400, answer: "invalid_value" } as const;
const unbelieved = { status: 400, answer: "payment_unconfirmed" } as const;
const later = { status: 503, answer: "temporarily_unavailable" } as const;
const closed = { status: 503, answer: "webhook_not_configured" } as const;
const taken = { status: 200, answer: "success" } as const;
const review = { ...taken, order: "review" } as const;

const signatures: Attack[] = [
  { what: "no signature", ...refused, run: altered((fields) => without(fields, "verifySign")) },
  { what: "an empty signature", ...refused, run: altered((fields) => ({ ...fields, verifySign: "" })) },
  {
    what: "a signature in capitals",
    ...refused,
    run: altered((fields) => ({ ...fields, verifySign: fields["verifySign"]?.toUpperCase() ?? "" })),
  },
  { what: "another token", ...refused, run: altered((fields) => signLikeWallet(fields, `${walletToken}0`)) },
  { what: "an empty token", ...refused, run: altered((fields) => signLikeWallet(fields, "")) },
  {
    what: "a token that was not digested",
    ...refused,
    run: altered((fields) => ({ ...fields, verifySign: md5(joined(fields) + walletToken) })),
  },
  { what: "no token at all", ...refused, run: altered((fields) => ({ ...fields, verifySign: md5(joined(fields)) })) },
  { what: "another kind of signature", ...refused, run: altered((fields) => ({ ...fields, sign_type: "RSA" })) },
  {
    what: "a signature over a chosen list of fields",
    ...refused,
    run: altered((fields) => ({ ...signLikeWallet(without(fields, "amount")), amount: "10.00" })),
  },
];

const changes: Attack[] = [
  { what: "another amount", ...refused, run: altered((fields) => ({ ...fields, amount: "10.01" })) },
  { what: "another currency", ...refused, run: altered((fields) => ({ ...fields, currency: "GBP" })) },
  {
    what: "a failure that became a success",
    ...refused,
    run: (target) => {
      const fields = signLikeWallet(fieldsFor(target.order, { status: "fail" }));
      return target.scene.postNotice({ ...fields, status: "success" });
    },
  },
  {
    what: "the payment of another order",
    ...refused,
    run: ({ scene: at, order }) => at.postNotice({ ...at.wallet.pay("S1"), reference: order.orderNo }),
  },
  { what: "one field less", ...refused, run: altered((fields) => without(fields, "vendorId")) },
  { what: "one field more", ...refused, run: altered((fields) => ({ ...fields, extra: "" })) },
  { what: "an amount in a list", ...refused, run: rewritten((pairs) => formOf([...pairs, ["amount[]", "10.00"]])) },
  { what: "an amount twice", ...malformed, run: rewritten((pairs) => formOf([["amount", "0.01"], ...pairs])) },
  { what: "an order twice", ...malformed, run: rewritten((pairs) => formOf([...pairs, ["reference", "S1"]])) },
  {
    what: "a signature twice",
    ...malformed,
    run: rewritten((pairs) => formOf([...pairs, ["verifySign", "0".repeat(32)]])),
  },
  {
    what: "an amount twice, in JSON",
    ...malformed,
    run: ({ scene: at, order }) => {
      const text = JSON.stringify(at.wallet.pay(order.orderNo)).replace("{", '{"amount":"0.01",');
      return at.post(path, text, { "content-type": "application/json" });
    },
  },
  {
    what: "a field that the signed text allows to be read in two ways",
    ...malformed,
    run: ({ scene: at, order }) => {
      // A payer who may choose the note of a payment gets a signature over the name of another order.
      const own = signLikeWallet(notificationOf("S1", { ...paid, transactionNo: "77" }));
      const signed = signLikeWallet({ ...own, note: `&reference=${order.orderNo}` });
      return at.postNotice({ ...signed, note: "", reference: `${order.orderNo}&reference=S1` });
    },
  },
  {
    what: "a number in JSON",
    status: 400,
    answer: "invalid_json",
    run: ({ scene: at, order }) => {
      const text = JSON.stringify(at.wallet.pay(order.orderNo)).replace('"10.00"', "10.00");
      return at.post(path, text, { "content-type": "application/json" });
    },
  },
  {
    what: "bytes that are not UTF-8",
    status: 400,
    answer: "invalid_json",
    run: rewritten((pairs) => Buffer.from(`${formOf(pairs)}&a=\xff`, "latin1")),
  },
  { what: "an empty body", ...refused, run: rewritten(() => "") },
  {
    what: "plain text",
    status: 415,
    answer: "unsupported_media_type",
    run: ({ scene: at, order }) =>
      at.post(path, formOf(Object.entries(at.wallet.pay(order.orderNo))), { "content-type": "text/plain" }),
  },
  {
    what: "a compressed body",
    status: 415,
    answer: "unsupported_encoding",
    run: ({ scene: at, order }) =>
      at.post(path, Bun.gzipSync(Buffer.from(formOf(Object.entries(at.wallet.pay(order.orderNo))))), {
        "content-type": "application/x-www-form-urlencoded",
        "content-encoding": "gzip",
      }),
  },
  {
    what: "a body of 257 KiB",
    status: 413,
    answer: "request_too_large",
    run: confirmed({}, { note: "x".repeat(257 * 1_024) }),
  },
  {
    what: "GET",
    status: 405,
    answer: "method_not_allowed",
    run: ({ scene: at, order }) => at.get(`${path}?${formOf(Object.entries(at.wallet.pay(order.orderNo)))}`),
  },
];

const doubts: Attack[] = [
  { what: "the gateway knows of no payment", ...unbelieved, run: unconfirmed(null) },
  { what: "the gateway says it is not paid yet", ...unbelieved, run: unconfirmed({ status: "pending" }) },
  { what: "the gateway says it failed", ...unbelieved, run: unconfirmed({ status: "fail" }) },
  { what: "the gateway knows another amount", ...unbelieved, run: unconfirmed({ amount: "0.01" }) },
  { what: "the gateway knows another currency", ...unbelieved, run: unconfirmed({ currency: "CNY" }) },
  { what: "the gateway knows another transaction", ...unbelieved, run: unconfirmed({ transactionNo: "2" }) },
  { what: "the gateway reports another order", ...unbelieved, run: unconfirmed({ reference: "S1" }) },
  { what: "the gateway's amount is invalid", ...unbelieved, run: unconfirmed({ amount: "1e1" }) },
  { what: "the gateway is silent", ...later, run: unanswered(() => new Promise(() => undefined)) },
  { what: "the gateway fails", ...later, run: unanswered(() => new Response("oops", { status: 502 })) },
  { what: "the gateway responds with a page", ...later, run: unanswered(() => new Response("<p>success</p>")) },
  {
    what: "the gateway redirects us",
    ...later,
    run: unanswered(() => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/" } })),
  },
];

const contents: Attack[] = [
  { what: "a cent less", ...review, run: confirmed({ amount: "9.99" }) },
  { what: "a cent more", ...review, run: confirmed({ amount: "10.01" }) },
  { what: "another currency", ...review, run: confirmed({ currency: "CNY" }) },
  { what: "a currency in small letters", ...malformed, run: confirmed({ currency: "usd" }) },
  { what: "an amount with an exponent", ...malformed, run: confirmed({ amount: "1e1" }) },
  { what: "an amount in full-width digits", ...malformed, run: confirmed({ amount: "１０.00" }) },
  { what: "an amount with a sign", ...malformed, run: confirmed({ amount: "+10.00" }) },
  { what: "a fraction of a cent", ...malformed, run: confirmed({ amount: "10.001" }) },
  { what: "no amount", ...malformed, run: confirmed({ amount: "" }) },
  { what: "no transaction", ...malformed, run: confirmed({ transactionNo: "" }) },
  { what: "another merchant", status: 400, answer: "account_mismatch", run: confirmed({}, { merchantNo: "200044" }) },
  { what: "a failure", ...taken, run: confirmed({ status: "fail" }) },
  { what: "a closed payment", ...taken, run: confirmed({ status: "closed" }) },
  { what: "a payment that is still pending", ...taken, run: confirmed({ status: "pending" }) },
  { what: "a state in capitals", ...malformed, run: confirmed({ status: "SUCCESS" }) },
  {
    what: "an unknown order",
    status: 404,
    answer: "order_not_found",
    run: ({ scene: at }) => at.postNotice(at.wallet.pay("S0000000000000000000000000")),
  },
  {
    what: "a transaction that was used before with other content",
    status: 409,
    answer: "event_conflict",
    run: async ({ scene: at, order }) => {
      const fields = fieldsFor(order);
      await at.postSigned(fields);
      return await at.postSigned({ ...fields, amount: "0.01" });
    },
  },
];

const tokens: Attack[] = [
  { what: "no token", ...closed, run: configured(undefined) },
  { what: "an empty token", ...closed, run: configured("") },
  { what: "a blank token", ...closed, run: configured(" ".repeat(40)) },
  { what: "a short token", ...closed, run: configured("0123456789abcde") },
];

describe.each([
  ["signature", signatures],
  ["fields", changes],
  ["doubtful origin", doubts],
  ["content", contents],
  ["weak token", tokens],
])("a forged wallet notification, by its %s, credits nothing:", (_by, attacks) => {
  test.each(attacks.map((attack): [string, Attack] => [attack.what, attack]))("%s", async (_what, attack) => {
    await withstand(scene, attack, "walletpay");
  });
});

test("a notification of the wallet gateway completes no order of the card gateway", async () => {
  await withstand(scene, { what: "cross-gateway", ...review, run: confirmed({}) }, "cardpay");
});

test("the same fields settle an order when nothing about them is forged", async () => {
  const buyer = await scene.billing.addBuyer();
  const order = await scene.billing.placeFor(buyer);
  expect(await (await confirmed({})({ scene, buyer, order })).text()).toBe("success");
  expect(await scene.billing.balance(buyer)).toBe(5_000_000n);
});
