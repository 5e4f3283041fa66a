import { describe, expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { usdOfQuota } from "@sluice/contracts/money";
import { statementCsv, statementHtml } from "@sluice/control-plane/payments/orders/statement-text.ts";
import { statementWords } from "@sluice/control-plane/payments/orders/statement-words.ts";
import { csvText } from "@sluice/control-plane/platform/csv.ts";

describe("a cell is never a formula", () => {
  test.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@x", "'@x"],
    ["\t=1", "'\t'=1"],
    ["\r=1", '"\'\r=1"'],
    [" =1", "' =1"],
    ["\n=1", '"\'\n=1"'],
    ["＝1", "'＝1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠x", "'＠x"],
    ['a"b', '"a""b"'],
    ["a,b", '"a,b"'],
    ["a\nb", '"a\nb"'],
    ["order:S1", "order:S1"],
    ["", ""],
  ])("%j", (text, cell) => {
    expect(csvText(text)).toBe(cell);
  });
});

test.each([
  [0n, "0.000000"],
  [1n, "0.000002"],
  [-1n, "-0.000002"],
  [500_000n, "1.000000"],
  [-1_234_567n, "-2.469134"],
])("%p quota are %s USD", (quota, usd) => {
  expect(usdOfQuota(quota)).toBe(usd);
});

const statement = {
  month: "2026-11",
  openingBalance: -5n,
  lines: [
    { day: "2026-11-02", changeType: "manual_adjust", reference: "adjust:=cmd|' /C calc'!A0", amount: 1_000_000n },
    { day: "2026-11-03", changeType: "usage_quota", reference: "", amount: -200n },
    { day: "2026-11-04", changeType: "=evil", reference: '<script>"&', amount: -1n },
  ],
  closingBalance: 999_794n,
};

test("a statement as a file adds up line by line, with numbers as numbers", () => {
  expect(statementCsv(statement).split("\r\n")).toEqual([
    "date,type,reference,quota,usd,balance_quota",
    "2026-11-01,opening_balance,,,,-5",
    "2026-11-02,manual_adjust,adjust:=cmd|' /C calc'!A0,1000000,2.000000,999995",
    "2026-11-03,usage_quota,,-200,-0.000400,999795",
    '2026-11-04,\'=evil,"<script>""&",-1,-0.000002,999794',
    "2026-11,closing_balance,,,,999794",
    "",
  ]);
});

test("a statement as a page shows everything as text", () => {
  const page = statementHtml(statement, { owner: "<b>@example.com", locale: "en" });
  expect(page).not.toContain("<script>");
  expect(page).not.toContain("<b>");
  expect(page).toContain("&lt;script&gt;&quot;&amp;");
  expect(page).toContain("&lt;b&gt;@example.com");
});

test("a statement as a page says what each line is in the language of the reader, and what it is worth", () => {
  for (const locale of allLocales) {
    const page = statementHtml(statement, { owner: "ada@example.com", locale });
    expect(page).toContain(`<html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}">`);
    expect(page).toContain(`<td>${statementWords[locale].changes["manual_adjust"]}</td>`);
    expect(page).toContain("<bdi>-0.000400</bdi>");
    expect(page).not.toContain("usage_quota");
  }
});
