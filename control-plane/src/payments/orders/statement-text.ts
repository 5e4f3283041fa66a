import { usdOfQuota } from "@sluice/contracts/money";
import type { Statement, StatementLine } from "../../ledger/model.ts";
import { csvWriter } from "../../platform/csv.ts";
import { type Html, html } from "../../platform/html.ts";

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
th,td{padding:.3rem .6rem;border-bottom:1px solid #ccc;text-align:left}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
@media print{body{margin:0}}`;

/** Allows the page its own styles and nothing else. */
export const statementPolicy = `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher("sha256").update(style.toString()).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The statement as a printable page. */
export function statementHtml(statement: Statement, owner: string): string {
  const rows = withBalances(statement).map(
    ([line, balance]) =>
      html`<tr><td>${line.day}</td><td>${line.changeType}</td><td>${line.reference}</td><td class="n">${line.amount}</td><td class="n">${usdOfQuota(line.amount)}</td><td class="n">${balance}</td></tr>\n`,
  );
  const sum = (what: string, balance: bigint): Html =>
    html`<tr><th colspan="4" scope="row">${what}</th><td class="n">${usdOfQuota(balance)}</td><td class="n">${balance}</td></tr>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Statement ${statement.month}</title><style>${style}</style></head>
<body><h1>Statement ${statement.month}</h1><p>${owner}</p>
<table><thead><tr><th>Date</th><th>Type</th><th>Reference</th><th class="n">Quota</th><th class="n">USD</th><th class="n">Balance</th></tr></thead>
<tbody>${sum("Opening balance", statement.openingBalance)}${rows}${sum("Closing balance", statement.closingBalance)}</tbody></table>
</body></html>
`.toString();
}
