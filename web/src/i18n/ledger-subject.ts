/** What an entry of the ledger leads to: an order, a refund, or the usage that was charged up to the entry. */
export type LedgerSubject = { readonly kind: "order" | "refund"; readonly number: string } | { readonly kind: "usage" };

/** Reads the reference of an entry; null if there is nothing to see besides the kind of change. */
export function ledgerSubject(reference: string): LedgerSubject | null {
  const colon = reference.indexOf(":");
  const [kind, number] = [reference.slice(0, Math.max(colon, 0)), reference.slice(colon + 1)];
  if (kind === "settlement") {
    return { kind: "usage" };
  }
  return kind === "order" || kind === "refund" ? { kind, number } : null;
}
