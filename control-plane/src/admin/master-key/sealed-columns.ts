import { invitationSealedColumns } from "../../accounts/registration/invitation-codes.ts";
import { signInSealedColumns } from "../../accounts/sign-in/providers.ts";
import { totpSealedColumns } from "../../accounts/totp/second-factor.ts";
import { targetSealedColumns } from "../../event-targets/access.ts";
import { channelSealedColumns } from "../../gateway/channels/credentials.ts";
import { mailSealedColumns } from "../../mail/service.ts";
import { codeSealedColumns } from "../../payments/codes/sealed-seed.ts";
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
  ...signInSealedColumns,
  ...invitationSealedColumns,
  ...mailSealedColumns,
  ...approvalSealedColumns,
  ...targetSealedColumns,
  ...codeSealedColumns,
];
