import { totpSealedColumns } from "../../accounts/totp/second-factor.ts";
import { channelSealedColumns } from "../../gateway/channels/credentials.ts";
import { mailSealedColumns } from "../../mail/service.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import { traceSealedColumns } from "../../trace/service.ts";
import { approvalSealedColumns } from "../approvals/service.ts";
import { secretSealedColumns } from "../secrets/service.ts";

/**
 * Everything that features encrypt under the master key. At its start, the service looks for missing keys, and a
 * rotation re-encrypts every column; neither builds the features. A test compares the list with the database.
 */
export const sealedColumns: readonly SealedColumn[] = [
  ...secretSealedColumns,
  ...channelSealedColumns,
  ...traceSealedColumns,
  ...totpSealedColumns,
  ...mailSealedColumns,
  ...approvalSealedColumns,
];
