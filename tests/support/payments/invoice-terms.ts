import type { Decimal } from "@sluice/contracts/money";
import { insertTerms, type NewTerms } from "@sluice/control-plane/payments/invoices/invoice-store.ts";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";

const terms: NewTerms = {
  isOn: true,
  invoicePrefix: "INV",
  creditPrefix: "CN",
  sellerName: "Operator GmbH",
  sellerAddress: "Example Street 1\n10115 Berlin",
  sellerCountry: "DE",
  sellerTaxId: "DE123456789",
  sellerEmail: "billing@operator.example",
  taxName: "VAT",
  taxMode: "inclusive",
  taxRate: "19" as Decimal,
  taxRules: [],
  note: "",
  createdBy: "test",
};

/** From now on, orders get invoices on these terms. */
export async function issueInvoices(db: Queryable, changes: Partial<NewTerms> = {}): Promise<void> {
  await insertTerms(db, { ...terms, ...changes });
}
