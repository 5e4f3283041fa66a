import { describe, expect, test } from "bun:test";
import {
  hasWalletSignature,
  signWalletFields,
  withWalletSignature,
} from "@sluice/control-plane/payments/gateways/walletpay/signature.ts";

/** Published with the documentation of the gateway; the token of its public sandbox. */
const token = "5cbfb079f15b150122261c8537086d77a";

const checkout = {
  amount: "1.00",
  callbackUrl: "https://wx.yuansfer.yunkeguan.com/wx",
  currency: "USD",
  goodsInfo: '[{"goods_name":"Yuansfer","quantity":"1"}]',
  ipnUrl: "https://wx.yuansfer.yunkeguan.com/wx",
  merchantNo: "200043",
  reference: "seq_1525922323",
  storeNo: "300014",
  terminal: "ONLINE",
  timeout: "120",
  vendor: "alipay",
};

const notification = {
  amount: "9.90",
  currency: "USD",
  note: "u42",
  reference: "T20260101000001",
  settleCurrency: "USD",
  status: "success",
  time: "20260101120000",
  transactionNo: "297553640378707470",
  vendorId: "2026010122001400001",
};

const mapOf = (fields: Record<string, string>): Map<string, string> => new Map(Object.entries(fields));

describe("the signature of the wallet gateway", () => {
  test.each([
    ["the published vector", checkout, "b6bfd66531ae7c9499115c7480a2c8aa"],
    [
      "a checkout of version 3",
      {
        amount: "9.90",
        callbackUrl: "https://gw.example.com/return",
        currency: "USD",
        ipnUrl: "https://gw.example.com/ipn",
        merchantNo: "200043",
        reference: "T20260101000001",
        settleCurrency: "USD",
        storeNo: "300014",
        terminal: "ONLINE",
        vendor: "alipay",
      },
      "959fa7006f69e82001a397c35c13944c",
    ],
    ["a notification", notification, "00e47fbb0accaa78bf285d9a4fcfeeb4"],
    [
      "text beyond ASCII and a separator inside a value",
      {
        amount: "9.90",
        currency: "USD",
        note: "套餐 A&B",
        reference: "T1",
        settleCurrency: "USD",
        status: "success",
        time: "20260101120000",
        transactionNo: "1",
        vendorId: "2",
      },
      "93db7bd4971221121da507f5d6084379",
    ],
    [
      "a query",
      { merchantNo: "200043", reference: "T20260101000001", storeNo: "300014" },
      "1b959b0be538b29792e504dc8ab89125",
    ],
    [
      "a refund",
      {
        currency: "USD",
        merchantNo: "200043",
        refundAmount: "9.90",
        refundReference: "R1",
        settleCurrency: "USD",
        storeNo: "300014",
        transactionNo: "297553640378707470",
      },
      "2ded4334f5891293ac84caa92f9f774e",
    ],
  ])("is the known one for %s, in any order of the fields", (_what, fields, signature) => {
    expect(signWalletFields(Object.entries(fields), token)).toBe(signature);
    expect(signWalletFields(Object.entries(fields).reverse(), token)).toBe(signature);
    expect(signWalletFields(Object.entries(fields), ` ${token}\n`)).toBe(signature);
  });

  test("covers every received field, even an unknown one", () => {
    const signed = withWalletSignature(notification, token);
    expect(hasWalletSignature(mapOf(signed), token)).toBe(true);
    for (const name of Object.keys(notification)) {
      expect(hasWalletSignature(mapOf({ ...signed, [name]: "x" }), token)).toBe(false);
      const without = mapOf(signed);
      without.delete(name);
      expect(hasWalletSignature(without, token)).toBe(false);
    }
    expect(hasWalletSignature(mapOf({ ...signed, unknown: "" }), token)).toBe(false);
    const withMore = withWalletSignature({ ...notification, unknown: "", Zulu: "1" }, token);
    expect(hasWalletSignature(mapOf(withMore), token)).toBe(true);
  });

  test("is refused when it is missing, empty, in capitals, cut, or made with another token", () => {
    const signed = withWalletSignature(notification, token);
    const { verifySign = "", ...fields } = signed;
    const refused = [
      fields,
      { ...fields, verifySign: "" },
      { ...fields, verifySign: verifySign.toUpperCase() },
      { ...fields, verifySign: verifySign.slice(0, 31) },
      { ...fields, verifySign: ` ${verifySign}` },
      withWalletSignature(fields, `${token}x`),
    ];
    expect(refused.map((each) => hasWalletSignature(mapOf(each), token))).toEqual(refused.map(() => false));
  });
});
