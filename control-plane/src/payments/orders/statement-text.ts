import { directionOf, type Locale } from "@sluice/contracts/locales";
import { usdOfQuota } from "@sluice/contracts/money";
import type { Statement, StatementLine } from "../../ledger/model.ts";
import { csvWriter } from "../../platform/csv.ts";
import { type Html, html } from "../../platform/html.ts";
import { statementWords } from "./statement-words.ts";

const csv = csvWriter(["date", "type", "reference", "quota", "usd", "balance_quota"], (name) => name === "usd");

/** The statement as a CSV file: a line for the opening balance, the lines, the closing balance. */
export function statementCsv(statement: Statement): string {
  const { month, openingBalance, closingBalance } = statement;
  const lines = withBalances(statement).map(([line, balance]) =>
    csv.line({
      date: line.day,
      type: line.changeType,
      reference: line.reference,
      quota: line.amount,
      usd: usdOfQuota(line.amount),
      balance_quota: balance,
    }),
  );
  return [
    csv.head,
    csv.line({ date: `${month}-01`, type: "opening_balance", balance_quota: openingBalance }),
    ...lines,
    csv.line({ date: month, type: "closing_balance", balance_quota: closingBalance }),
  ].join("");
}

function withBalances({ openingBalance, lines }: Statement): [StatementLine, bigint][] {
  let balance = openingBalance;
  return lines.map((line) => {
    balance += line.amount;
    return [line, balance];
  });
}

const style = html`body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#111}table{border-collapse:collapse;width:100%}
th,td{padding:.3rem .6rem;border-bottom:1px solid #ccc;text-align:start}td.n,th.n{text-align:end;font-variant-numeric:tabular-nums}
@media print{body{margin:0}}`;

/** Allows the page its own styles and nothing else. */
export const statementPolicy = `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher("sha256").update(style.toString()).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The statement as a page to print, in the language of the person who prints it. */
export function statementHtml(
  statement: Statement,
  { owner, locale }: { readonly owner: string; readonly locale: Locale },
): string {
  const words = statementWords[locale];
  const title = `${words.title} ${statement.month}`;
  const rows = withBalances(statement).map(
    ([line, balance]) =>
      html`<tr><td>${line.day}</td><td>${words.changes[line.changeType] ?? line.changeType}</td><td><bdi>${line.reference}</bdi></td><td class="n"><bdi>${usdOfQuota(line.amount)}</bdi></td><td class="n"><bdi>${usdOfQuota(balance)}</bdi></td></tr>\n`,
  );
  const sum = (what: string, balance: bigint): Html =>
    html`<tr><th colspan="4" scope="row">${what}</th><td class="n"><bdi>${usdOfQuota(balance)}</bdi></td></tr>`;
  return html`<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1><p><bdi>${owner}</bdi></p>
<table><thead><tr><th>${words.date}</th><th>${words.change}</th><th>${words.reference}</th><th class="n">${words.amount} (USD)</th><th class="n">${words.after} (USD)</th></tr></thead>
<tbody>${sum(words.opening, statement.openingBalance)}${rows}${sum(words.closing, statement.closingBalance)}</tbody></table>
</body></html>
`.toString();
}
