import { expect, test } from "bun:test";
import { paymentFallbacks } from "@sluice/control-plane/payments/gateways/payment-gateways.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";

const keyOf = (name: string): MasterKey => new MasterKey(new Bun.CryptoHasher("sha256").update(name).digest());
const fallbacksOf = (env: Record<string, string>, key = "one"): Record<string, string | undefined> =>
  paymentFallbacks(loadConfig({ DATABASE_URL: "postgres://user@127.0.0.1/any", ...env }), keyOf(key));

test("production invents no credentials", () => {
  const found = Object.values(fallbacksOf({ NODE_ENV: "production" }));
  expect(found).toHaveLength(9);
  expect(found.filter((value) => value !== undefined)).toEqual([]);
});

test("development invents an account of the wallet gateway whose token nobody can guess, and nothing for cards", () => {
  const made = fallbacksOf({});
  expect(made["walletpay.merchant_no"]).toBe("development");
  expect(made["walletpay.token"]).toMatch(/^[0-9a-f]{64}$/);
  expect(made["walletpay.token"]).toBe(fallbacksOf({})["walletpay.token"] ?? "");
  expect(made["walletpay.token"]).not.toBe(fallbacksOf({}, "another")["walletpay.token"] ?? "");
  expect(Object.entries(made).filter(([name, value]) => name.startsWith("cardpay") && value !== undefined)).toEqual([]);
});

test("values of the environment go to the secrets of their names", () => {
  const names = {
    WALLETPAY_MERCHANT_NO: "walletpay.merchant_no",
    WALLETPAY_STORE_NO: "walletpay.store_no",
    WALLETPAY_TOKEN: "walletpay.token",
    CARDPAY_SECRET_KEY: "cardpay.default.secret_key",
    CARDPAY_WEBHOOK_SECRET: "cardpay.default.webhook_secret",
    CARDPAY_ACCOUNT_A_SECRET_KEY: "cardpay.account_a.secret_key",
    CARDPAY_ACCOUNT_A_WEBHOOK_SECRET: "cardpay.account_a.webhook_secret",
    CARDPAY_ACCOUNT_B_SECRET_KEY: "cardpay.account_b.secret_key",
    CARDPAY_ACCOUNT_B_WEBHOOK_SECRET: "cardpay.account_b.webhook_secret",
  };
  const env = Object.fromEntries(Object.keys(names).map((name) => [name, `value of ${name}`]));
  const expected = Object.fromEntries(Object.entries(names).map(([name, secret]) => [secret, `value of ${name}`]));
  expect(fallbacksOf(env)).toEqual(expected);
});
