import { expect, test } from "bun:test";
import { parseDecimal } from "@sluice/contracts/money";
import type { NoticeMeaning } from "@sluice/control-plane/payments/gateways/model.ts";
import { factsOf, meaningOf } from "@sluice/control-plane/payments/notices/notice-facts.ts";

test.each<NoticeMeaning>([
  { kind: "reversal", transactionId: "1", what: { kind: "dispute" } },
  { kind: "reversal", transactionId: null, what: { kind: "total", backUsd: null } },
  { kind: "reversal", transactionId: "1", what: { kind: "total", backUsd: parseDecimal("3.00") } },
  { kind: "reversal", transactionId: "1", what: { kind: "refund", refundNo: "R1", isFailed: true } },
  { kind: "reversal", transactionId: "1", what: { kind: "refund", refundNo: null, isFailed: false } },
  { kind: "wrong_mode" },
  { kind: "other" },
])("the stored facts of %j keep its meaning", (meaning) => {
  expect(meaningOf(JSON.parse(JSON.stringify(factsOf(meaning))))).toEqual(meaning);
});

test.each([
  [true, { kind: "dispute" }],
  [false, { kind: "total", backUsd: null }],
])("a return of money from before its amount was stored is a dispute (%p), or all of it", (isDispute, what) => {
  const kept = { kind: "reversal", transaction_id: "1", is_dispute: isDispute };
  expect(meaningOf(kept)).toEqual({ kind: "reversal", transactionId: "1", what } as NoticeMeaning);
});
