import { expect, test } from "bun:test";
import { ledgerSubject } from "@sluice/web/src/i18n/ledger-subject.ts";

test("the reference of a ledger entry leads to its order, its refund or the usage that it charged", () => {
  expect(ledgerSubject("order:SO-20261128-7")).toEqual({ kind: "order", number: "SO-20261128-7" });
  expect(ledgerSubject("refund:RF-7:2")).toEqual({ kind: "refund", number: "RF-7:2" });
  expect(ledgerSubject("settlement:34")).toEqual({ kind: "usage" });
});

test.each(["registration:12", "adjust:order:5", "subscription:5:2", "order", "", "orders:5"])(
  "the reference %p leads nowhere",
  (reference) => {
    expect(ledgerSubject(reference)).toBeNull();
  },
);
