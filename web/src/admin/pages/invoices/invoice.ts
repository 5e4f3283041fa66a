import type { invoiceList, invoiceTermsResponse } from "@sluice/contracts/invoices";
import type { RowOf } from "@sluice/contracts/lists";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Invoice = RowOf<typeof invoiceList>;
export type Terms = NonNullable<ResponseOf<typeof invoiceTermsResponse>["terms"]>;

export const invoicesPath = "/backend/admin/invoice/";
export const termsPath = "/backend/admin/invoice/terms/";
