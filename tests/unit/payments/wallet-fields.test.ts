import { describe, expect, test } from "bun:test";
import { readWalletNotice } from "@sluice/control-plane/payments/gateways/walletpay/notification.ts";
import { readWalletFields } from "@sluice/control-plane/payments/gateways/walletpay/read-fields.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

const form = "application/x-www-form-urlencoded";
const json = "application/json";
const read = (text: string, type: string | null): [string, string][] => [
  ...readWalletFields(Buffer.from(text, "latin1"), type),
];

function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : `${error}`;
  }
}

test("each state of a transaction is a separate message", () => {
  const notice = (status: string) =>
    readWalletNotice(
      new Map(Object.entries({ transactionNo: "T1", reference: "O1", status, currency: "USD", amount: "9.90" })),
      "M1",
    );
  expect(notice("success").eventId).not.toBe(notice("reversed").eventId);
});

describe("the fields of a notification", () => {
  test("are parsed from a form and from JSON alike", () => {
    const expected: [string, string][] = [
      ["amount", "9.90"],
      ["note", "a b&c"],
      ["empty", ""],
    ];
    expect(read("amount=9.90&note=a+b%26c&empty=", form)).toEqual(expected);
    expect(read("amount=9.90&note=a%20b%26c&empty=", `${form}; charset=utf-8`)).toEqual(expected);
    expect(read(' { "amount" : "9.90","note":"a b\\u0026c" , "empty":"" }\n', `${json};charset=utf-8`)).toEqual(
      expected,
    );
    expect(read('{"a":"\\"","b":"\\\\"}', json)).toEqual([
      ["a", '"'],
      ["b", "\\"],
    ]);
  });

  test.each([
    ["a field twice in a form", "a=1&a=1", form, "invalid_value"],
    ["a field twice in JSON", '{"a":"1","a":"2"}', json, "invalid_value"],
    ["a field twice in JSON under two spellings", '{"a":"1","\\u0061":"2"}', json, "invalid_value"],
    ["a number in JSON", '{"a":1}', json, "invalid_json"],
    ["a list in JSON", '{"a":["1"]}', json, "invalid_json"],
    ["an object in JSON", '{"a":{"b":"1"}}', json, "invalid_json"],
    ["null in JSON", '{"a":null}', json, "invalid_json"],
    ["an empty object", "{}", json, "invalid_json"],
    ["a list of fields", '[{"a":"1"}]', json, "invalid_json"],
    ["a comma at the end", '{"a":"1",}', json, "invalid_json"],
    ["text after the end", '{"a":"1"}x', json, "invalid_json"],
    ["a line break in a text", '{"a":"1\n"}', json, "invalid_json"],
    ["an invalid escape", '{"a":"\\x"}', json, "invalid_json"],
    ["bytes that are not UTF-8", "a=\xff", form, "invalid_json"],
    ["another type", "a=1", "text/plain", "unsupported_media_type"],
    ["no type", "a=1", null, "unsupported_media_type"],
    ["65 fields", Array.from({ length: 65 }, (_, index) => `f${index}=1`).join("&"), form, "invalid_value"],
  ])("are refused with %s", (_what, text, type, code) => {
    expect(codeOf(() => read(text, type))).toBe(code);
  });

  test("of 256 KiB in one string are parsed in linear time", () => {
    const text = `{"a":"${"\\\\".repeat(128 * 1024)}"}`;
    const parse = () => expect(read(text, json)[0]?.[1]).toHaveLength(128 * 1024);
    expect(processorMsOf(parse)).toBeLessThan(2_000);
  });
});

describe("a notification", () => {
  const fields = {
    transactionNo: "297553640378707470",
    status: "success",
    amount: "9.9",
    currency: "USD",
    reference: "S1",
  };
  const notice = (change: Record<string, string>) =>
    readWalletNotice(new Map(Object.entries({ ...fields, ...change })), "200043");

  test("of success says what was paid, with two places", () => {
    expect(notice({}).meaning).toEqual({
      kind: "paid",
      paid: { transactionId: "297553640378707470", orderNo: "S1", amountUsd: "9.90", currency: "USD" } as never,
      isLive: null,
    });
    expect(notice({}).eventId).toBe("297553640378707470:success");
  });

  test.each([
    ["fail", "other"],
    ["closed", "other"],
    ["pending", "other"],
    ["reversed", "reversal"],
  ])("with the state %s pays nothing", (status, kind) => {
    expect(notice({ status }).meaning.kind as string).toBe(kind);
  });

  test.each([
    ["amount", ""],
    ["amount", "1e1"],
    ["amount", "-9.90"],
    ["amount", "9.901"],
    ["amount", "９.90"],
    ["amount", "0x9"],
    ["amount", " 9.90"],
    ["amount", "9,90"],
    ["currency", "usd"],
    ["currency", ""],
    ["transactionNo", ""],
    ["transactionNo", "1 or 1=1"],
    ["reference", ""],
    ["reference", "S1&amount=1"],
    ["status", "SUCCESS"],
  ])("with the %s '%s' is refused", (name, value) => {
    expect(codeOf(() => notice({ [name]: value }))).toBe("invalid_value");
  });

  test("for another merchant is refused", () => {
    expect(codeOf(() => notice({ merchantNo: "200044" }))).toBe("account_mismatch");
    expect(codeOf(() => notice({ merchantNo: "200043" }))).toBeNull();
  });

  test("has the same content in another order of its fields, and another content with another value", () => {
    const pairs = Object.entries(fields);
    const one = readWalletNotice(new Map(pairs), "200043").contentHash;
    const same = readWalletNotice(new Map(pairs.toReversed()), "200043").contentHash;
    expect(same).toEqual(one);
    expect(notice({ amount: "9.91" }).contentHash).not.toEqual(one);
  });
});
