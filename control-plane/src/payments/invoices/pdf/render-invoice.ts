import type { Log } from "../../../platform/log.ts";
import { programFile } from "../../../platform/program-files.ts";
import { SideThread } from "../../../platform/side-thread.ts";
import type { Invoice } from "../invoice-store.ts";
import type { DrawnInvoice } from "./draw-invoice.ts";

/** Draws invoices on a thread of their own, because fonts of East Asia take a moment; it ends when idle. */
export function openInvoiceThread(log: Log): SideThread {
  const readError = (sent: unknown): Error => new Error(`an invoice could not be drawn: ${String(sent)}`);
  return new SideThread(programFile("control-plane/src/payments/invoices/pdf/render-thread.ts"), readError, log);
}

export async function renderInvoice(thread: SideThread, invoice: Invoice): Promise<Uint8Array> {
  const { number, kind, currency, netUsd, taxUsd, grossUsd, taxRate, locale, facts, issuedAt } = invoice;
  const drawn: DrawnInvoice = {
    ...{ number, kind, currency, netUsd, taxUsd, grossUsd, taxRate, locale, facts, issuedAt },
  };
  return (await thread.run(drawn, [])) as Uint8Array;
}
