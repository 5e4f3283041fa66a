import type { PartyFacts } from "@sluice/contracts/invoices";
import { directionOf, localeOfTag } from "@sluice/contracts/locales";
import type { Decimal } from "@sluice/contracts/money";
import { fromCents, toCents } from "../../model.ts";
import type { Invoice } from "../invoice-store.ts";
import { plainRate } from "../tax.ts";
import { invoiceTexts } from "../texts.ts";
import { Paper, printedWidth, wholeWidth } from "./paper.ts";

const half = printedWidth / 2 - 12;
const left = { from: 0, width: half };
const right = { from: printedWidth - half, width: half };
const amountWidth = 110;
const amounts = { from: printedWidth - amountWidth, width: amountWidth };
const beforeAmounts = { from: 0, width: printedWidth - amountWidth - 12 };
const grey = "#5c5c5c";

/** What is drawn; it can be sent to another thread. */
export type DrawnInvoice = Pick<
  Invoice,
  "number" | "kind" | "currency" | "netUsd" | "taxUsd" | "grossUsd" | "taxRate" | "locale" | "facts" | "issuedAt"
>;

/** An invoice or credit note as PDF: the same bytes each time. Dates are in UTC. */
export async function drawInvoice(invoice: DrawnInvoice): Promise<Uint8Array> {
  const { facts, number, currency } = invoice;
  const locale = localeOfTag(invoice.locale) ?? "en";
  const texts = invoiceTexts[locale];
  const isCredit = invoice.kind === "credit_note";
  const title = isCredit ? texts.creditNote : texts.invoice;
  const paper = new Paper({
    locale,
    isRtl: directionOf(locale) === "rtl",
    title: `${title} ${number}`,
    author: facts.seller.name,
    at: invoice.issuedAt,
  });
  paper.write(facts.seller.name, wholeWidth, { size: 12 });
  paper.space(18);
  paper.write(title, wholeWidth, { size: 22 });
  paper.space(14);
  const top = paper.y;
  drawParty(paper, texts.seller, { party: facts.seller, taxId: texts.taxId, column: left });
  const sellerEnd = paper.y;
  paper.moveTo(top);
  drawParty(paper, texts.buyer, { party: facts.buyer, taxId: texts.taxId, column: right });
  paper.moveTo(Math.max(sellerEnd, paper.y) + 14);
  const date = dayOf(invoice.issuedAt);
  drawFacts(paper, [
    [texts.number, number],
    [texts.date, date],
    ...(isCredit ? [] : [[texts.supplied, date] as const]),
    [texts.order, facts.orderNo],
    ...(facts.original === null
      ? []
      : [[texts.original, `${facts.original.number} (${facts.original.issuedOn})`] as const]),
  ]);
  paper.space(20);
  const sign = isCredit ? "-" : "";
  const money = (amount: Decimal): string => `${sign}${amount} ${currency}`;
  row(paper, texts.description, texts.net, { colour: grey });
  paper.rule();
  const { discount } = facts;
  const listed = discount === undefined ? invoice.netUsd : sumOf(invoice.netUsd, discount.netUsd);
  row(paper, `${facts.item.name}\n${texts.item}`, money(listed));
  if (discount !== undefined) {
    paper.space(6);
    row(paper, `${texts.discount} ${discount.code}`, `-${discount.netUsd} ${currency}`);
  }
  paper.space(6);
  paper.rule();
  row(paper, texts.net, money(invoice.netUsd));
  row(paper, `${facts.taxName} ${plainRate(invoice.taxRate)} %`, money(invoice.taxUsd));
  paper.space(4);
  paper.rule();
  row(paper, texts.total, money(invoice.grossUsd), { size: 12 });
  paper.space(20);
  for (const note of [facts.taxNote, isCredit ? "" : texts.paid, facts.note].filter((text) => text !== "")) {
    paper.write(note);
    paper.space(6);
  }
  return await paper.bytes();
}

const sumOf = (one: Decimal, other: Decimal): Decimal => fromCents(toCents(one) + toCents(other));

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

type PartyPlace = { readonly party: PartyFacts; readonly taxId: string; readonly column: typeof left };

function drawParty(paper: Paper, label: string, { party, taxId, column }: PartyPlace): void {
  paper.write(label, column, { size: 9, colour: grey });
  const lines = [
    party.name,
    party.address,
    party.country,
    party.taxId === "" ? "" : `${taxId}: ${party.taxId}`,
    party.email === party.name ? "" : party.email,
  ];
  for (const line of lines.filter((text) => text !== "")) {
    paper.write(line, column);
  }
}

function drawFacts(paper: Paper, facts: readonly (readonly [string, string])[]): void {
  const label = { from: 0, width: 150 };
  const value = { from: 160, width: printedWidth - 160 };
  for (const [name, text] of facts) {
    const y = paper.y;
    paper.write(name, label, { colour: grey });
    const end = paper.y;
    paper.moveTo(y);
    paper.write(text, value);
    paper.moveTo(Math.max(end, paper.y));
  }
}

function row(paper: Paper, what: string, amount: string, style: { size?: number; colour?: string } = {}): void {
  const y = paper.y;
  paper.write(amount, amounts, { ...style, isAtEnd: true });
  const end = paper.y;
  paper.moveTo(y);
  paper.write(what, beforeAmounts, style);
  paper.moveTo(Math.max(end, paper.y));
}
