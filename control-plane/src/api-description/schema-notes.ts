import { rowId, userView } from "@sluice/contracts/accounts";
import { approvalEntry } from "@sluice/contracts/approvals";
import { deliveryView, targetView } from "@sluice/contracts/event-targets";
import { apiKeyView, keyInput, keyPageMax, pageSize, recordId } from "@sluice/contracts/keys";
import { tokenView } from "@sluice/contracts/management-tokens";
import { usageView } from "@sluice/contracts/usage";
import type { z } from "zod";

const describedAs = (title: string): object => ({ title });

/**
 * What the description says of a schema beyond what follows from it: names of the types that programs use most, and the
 * form in which a value is sent where its schema only reads the text of a query.
 */
export const schemaNotes: ReadonlyMap<z.core.$ZodType, object> = new Map<z.core.$ZodType, object>([
  [apiKeyView, describedAs("ApiKey")],
  [keyInput, describedAs("KeyInput")],
  [tokenView, describedAs("AccessToken")],
  [userView, describedAs("User")],
  [usageView, describedAs("Call")],
  [approvalEntry, describedAs("Approval")],
  [targetView, describedAs("EventTarget")],
  [deliveryView, describedAs("EventDelivery")],
  [recordId, { title: "Id", description: "The ID of a record, as a number or as its digits." }],
  [rowId, describedAs("RowId")],
  [pageSize, { type: "integer", minimum: 1, maximum: keyPageMax, pattern: undefined }],
]);
