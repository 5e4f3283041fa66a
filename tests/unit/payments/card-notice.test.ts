import { expect, test } from "bun:test";
import { readCardNotice } from "@sluice/control-plane/payments/gateways/cardpay/notice.ts";

const paid = (amount: number, currency: string) =>
  readCardNotice(
    {
      id: "evt_1",
      type: "payment_intent.succeeded",
      livemode: true,
      data: {
        object: {
          id: "pi_1",
          status: "succeeded",
          amount_received: amount,
          currency,
          metadata: { trade_no: "S1" },
        },
      },
    },
    "default",
    true,
  ).meaning;

test.each([
  [1_000, "usd", "10.00"],
  [1_000, "EUR", "10.00"],
  [1_000, "jpy", "1000.00"],
  [25_000, "krw", "25000.00"],
  [1_500, "kwd", "1.50"],
])("a payment of %d smallest units of %s is reported as %s of that currency", (amount, currency, told) => {
  expect(paid(amount, currency)).toMatchObject({ paid: { amountUsd: told, currency: currency.toUpperCase() } });
});

test("an amount that no column holds is refused, in every currency", () => {
  for (const [amount, currency] of [
    [1e12, "usd"],
    [1e10, "jpy"],
    [1e13, "kwd"],
  ] as const) {
    expect(() => paid(amount, currency)).toThrow();
    expect(paid(amount - 1, currency).kind).toBe("paid");
  }
});
