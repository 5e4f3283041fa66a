import { describe, expect, test } from "bun:test";
import { parseDecimal } from "@sluice/contracts/money";
import { cardVendors } from "@sluice/contracts/payments";
import { checkoutParams, encodeBracketForm } from "@sluice/control-plane/payments/gateways/cardpay/checkout.ts";
import { fromCents, type PayableOrder, readAmount, toCents } from "@sluice/control-plane/payments/gateways/model.ts";

const createdAt = new Date("2026-11-21T12:00:00.700Z");
const order: PayableOrder = {
  orderNo: "S0123",
  planCode: "starter",
  planName: "Starter & more",
  amountUsd: parseDecimal("9.90"),
  email: "payer@example.com",
  createdAt,
  expiresAt: new Date("2026-11-21T14:00:00.700Z"),
};
const metadata = {
  trade_no: "S0123",
  product_id: "starter",
  svc_product_id: "starter",
  svc_sender: "account_a",
  svc_vendor: "cardpay_card",
};

describe("a checkout of the card gateway", () => {
  test("contains the order in the metadata of the session and of the payment", () => {
    expect(checkoutParams({ order, sender: "account_a", vendor: "cardpay_card" }, "https://gw.example.com")).toEqual({
      mode: "payment",
      line_items: [
        {
          quantity: 1,
          price_data: { currency: "usd", unit_amount: 990, product_data: { name: "Starter & more" } },
        },
      ],
      allowed_payment_method_types: ["card"],
      client_reference_id: "S0123",
      metadata,
      payment_intent_data: { metadata },
      customer_email: "payer@example.com",
      expires_at: Date.parse("2026-11-21T14:00:00Z") / 1000,
      success_url: "https://gw.example.com/console/billing/?order_no=S0123",
      cancel_url: "https://gw.example.com/console/billing/?order_no=S0123",
    });
  });

  test("requests the vendor's kind of payment", () => {
    const kinds = cardVendors.map((vendor) => {
      const params = checkoutParams({ order, sender: "default", vendor }, "https://gw.example.com");
      return [vendor, params.allowed_payment_method_types?.join(), params.payment_method_options ?? null];
    });
    expect(kinds).toEqual([
      ["cardpay_card", "card", null],
      ["cardpay_wechat_pay", "wechat_pay", { wechat_pay: { client: "web" } }],
      ["cardpay_alipay", "alipay", null],
      ["cardpay_paypal", "paypal", null],
      ["cardpay_crypto", "crypto", null],
      ["cardpay_apple_pay", "card", null],
      ["cardpay_google_pay", "card", null],
    ]);
  });

  test.each([
    ["2026-11-21T12:05:00.700Z", "2026-11-21T12:31:00Z"],
    ["2026-11-22T12:00:00.700Z", "2026-11-22T11:55:00Z"],
    ["2026-12-21T12:00:00.700Z", "2026-11-22T11:55:00Z"],
  ])("of an order until %s closes at %s, within what the gateway accepts", (expiresAt, closesAt) => {
    const params = checkoutParams(
      { order: { ...order, expiresAt: new Date(expiresAt) }, sender: "default", vendor: "cardpay_card" },
      "https://gw.example.com",
    );
    expect(params.expires_at).toBe(Date.parse(closesAt) / 1000);
  });

  test("is encoded as a form with names in brackets", () => {
    const text = encodeBracketForm({ a: [{ b: "x y", c: 1 }], d: { "e-f": "ü" }, g: "h" });
    expect(text).toBe("a%5B0%5D%5Bb%5D=x+y&a%5B0%5D%5Bc%5D=1&d%5Be-f%5D=%C3%BC&g=h");
  });
});

describe("amounts", () => {
  test("become cents and dollars again without losing a fraction", () => {
    const texts = ["0.00", "0.01", "0.10", "1.00", "9.90", "19.99", "999999.99"];
    expect(texts.map((text) => fromCents(BigInt(toCents(parseDecimal(text))))) as string[]).toEqual(texts);
  });

  test("of more than eight digits, or with fractions of a cent, are refused", () => {
    expect(() => toCents(parseDecimal("1000000.00"))).toThrow(RangeError);
    expect(() => toCents(parseDecimal("1.001"))).toThrow(RangeError);
  });

  test("of the wallet gateway are parsed when they are plainly amounts", () => {
    expect(
      ["1", "1.5", "01.50", "1.505", "1.", ".5", "+1", "1e2", "１", ""].map(readAmount) as (string | null)[],
    ).toEqual(["1.00", "1.50", "01.50".slice(1), null, null, null, null, null, null, null]);
  });
});
