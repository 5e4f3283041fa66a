import { adminOperation } from "@sluice/contracts/admin-rights";
import { noInput, ownOrderInput } from "@sluice/contracts/billing";
import {
  buyerResponse,
  invoiceFileInput,
  invoicePageInput,
  invoicePageResponse,
  invoiceTermsResponse,
  orderInvoiceInput,
  orderInvoicesResponse,
  quoteInput,
  quoteResponse,
  saveBuyerInput,
  saveTermsInput,
} from "@sluice/contracts/invoices";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import { notFound } from "../../platform/errors.ts";
import { readKeysetPage } from "../../platform/keyset-page.ts";
import type { SideThread } from "../../platform/side-thread.ts";
import { type OrderPlace, readNow } from "../orders/order-store.ts";
import { findOwnOrder } from "../orders/orders.ts";
import { quoteOrder } from "../orders/place-order.ts";
import {
  findBuyer,
  findInvoice,
  findTerms,
  type Invoice,
  selectInvoicesOf,
  selectInvoicesOfOrder,
} from "./invoice-store.ts";
import { buyerEntry, changeBuyer, invoiceEntry, saveTerms, termsEntry } from "./invoices.ts";
import { renderInvoice } from "./pdf/render-invoice.ts";
import { quoteEntry } from "./quote.ts";

export type InvoiceEndpointDeps = { readonly db: Database; readonly thread: SideThread };

const asPdf = [{ status: 200, type: "application/pdf", summary: "The same bytes each time." }] as const;

export function invoiceEndpoints(deps: InvoiceEndpointDeps): AnyEndpoint[] {
  return [...buyerEndpoints(deps), ...ownInvoiceEndpoints(deps), ...orderInvoiceEndpoints(deps), quoteEndpoint(deps)];
}

function ownInvoiceEndpoints({ db, thread }: InvoiceEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/invoice/list/",
      access: "user",
      input: invoicePageInput,
      summary: "List the invoices and credit notes of the account, newest first",
      output: invoicePageResponse,
      errors: [],
      handle: async ({ input, user }) => {
        const read = (limit: number) => selectInvoicesOf(db, placeOf(user), { below: input.cursor ?? null, limit });
        const { rows, nextCursor } = await readKeysetPage(input.limit, read, ({ id }) => id);
        return { invoices: rows.map(invoiceEntry), next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/billing/invoice/file/",
      access: "user",
      input: invoiceFileInput,
      summary: "Download an invoice or credit note as PDF",
      output: null,
      otherResponses: asPdf,
      errors: ["not_found"],
      handle: async ({ input, user }) => pdfOf(thread, await findInvoice(db, input.number, placeOf(user))),
    }),
  ];
}

/** For buyers without a login, who have the claim code of their order. The code is in the body, so that no log has it. */
function orderInvoiceEndpoints({ db, thread }: InvoiceEndpointDeps): AnyEndpoint[] {
  const readOwn = async (asked: { order_no: string; claim_code?: string | undefined }, user: UserCaller | null) => {
    const place = { userId: user?.userId ?? null, organisationId: user?.organisation?.organisationId ?? null };
    const order = await findOwnOrder(db, asked.order_no, { ...place, claimCode: asked.claim_code ?? null });
    return await selectInvoicesOfOrder(db, order.id);
  };
  return [
    endpoint({
      method: "POST",
      path: "/backend/billing/order/invoices/",
      access: "optional_user",
      input: ownOrderInput,
      summary: "List the invoice and credit notes of an order, for its owner or by its claim code",
      output: orderInvoicesResponse,
      errors: ["not_found"],
      handle: async ({ input, user }) => ({ invoices: (await readOwn(input, user)).map(invoiceEntry) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/order/invoice/",
      access: "optional_user",
      input: orderInvoiceInput,
      summary: "Download the invoice of an order, or a credit note of it, as PDF, for its owner or by its claim code",
      output: null,
      otherResponses: asPdf,
      errors: ["not_found"],
      handle: async ({ input, user }) => {
        const { number } = input;
        const known = await readOwn(input, user);
        const isMeant = (each: Invoice) => (number === undefined ? each.kind === "invoice" : each.number === number);
        return await pdfOf(thread, known.find(isMeant) ?? null);
      },
    }),
  ];
}

function buyerEndpoints({ db }: InvoiceEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/billing/buyer/",
      access: "user",
      input: noInput,
      summary: "Get name, address and tax ID for invoices of the account",
      output: buyerResponse,
      errors: [],
      handle: async ({ user }) => {
        const buyer = await findBuyer(db, placeOf(user));
        return { buyer: buyer === null ? null : buyerEntry(buyer) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/billing/buyer/save/",
      access: "user",
      input: saveBuyerInput,
      summary: "Save name, address and tax ID for future invoices of the account",
      output: buyerResponse,
      errors: ["invalid_value"],
      handle: async ({ input, ...call }) => {
        const place = placeOf(call.user);
        const saved = await db.withTransaction((tx) => changeBuyer(tx, place, { input, call }));
        return { buyer: buyerEntry(saved) };
      },
    }),
  ];
}

function quoteEndpoint({ db }: InvoiceEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/billing/order/quote/",
    access: "optional_user",
    input: quoteInput,
    summary: "Get what an order would cost now, with its tax",
    output: quoteResponse,
    errors: ["not_found", "invalid_amount"],
    handle: async ({ input, user }) => {
      const of = {
        planCode: input.plan_code,
        amountUsd: input.amount_usd,
        userId: user?.userId ?? null,
        organisationId: user?.organisation?.organisationId ?? null,
      };
      return quoteEntry(
        await db.withTransaction(async (tx) => quoteOrder(tx, of, { at: await readNow(tx), isReserving: false })),
      );
    },
  });
}

/** What operators do with invoices; the list is with the others. */
export function invoiceAdminEndpoints({ db, thread }: InvoiceEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/invoice/file/",
      access: "admin",
      input: invoiceFileInput,
      summary: "Download an invoice or credit note as PDF",
      output: null,
      otherResponses: asPdf,
      errors: ["not_found"],
      handle: async ({ input }) => pdfOf(thread, await findInvoice(db, input.number, null)),
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/invoice/terms/",
      access: "admin",
      input: noInput,
      summary: "Get the seller's data and the taxes of invoices",
      output: invoiceTermsResponse,
      errors: [],
      handle: async () => {
        const terms = await findTerms(db);
        return { terms: terms === null ? null : termsEntry(terms) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/invoice/terms/save/"),
      input: saveTermsInput,
      summary: "Change the loaded version of the seller's data and the taxes, for future orders and invoices",
      output: invoiceTermsResponse,
      errors: ["conflict"],
      handle: async ({ input, ...call }) => ({
        terms: termsEntry(await db.withTransaction((tx) => saveTerms(tx, input, call))),
      }),
    }),
  ];
}

const placeOf = (user: UserCaller): OrderPlace => ({
  userId: user.userId,
  organisationId: user.organisation?.organisationId ?? null,
});

async function pdfOf(thread: SideThread, invoice: Invoice | null): Promise<Response> {
  if (invoice === null) {
    throw notFound("invoice");
  }
  const bytes = await renderInvoice(thread, invoice);
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="${invoice.number}.pdf"`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
