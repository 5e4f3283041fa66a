import { randomBytes } from "node:crypto";
import type { MailQueue } from "../../mail/model.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { Transaction } from "../../platform/db.ts";
import { insertAdminToken, spendAdminTokens } from "./admin-tokens-store.ts";

export const tokenBytes = 32;
const validMinutes = 60;

export type LinkDeps = {
  readonly mails: MailQueue;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
};

/** Emails an admin a link to set a password when the transaction commits. Only the newest link works. */
export async function leaveLink(
  tx: Transaction,
  { mails, baseUrl }: LinkDeps,
  { adminId, email }: { readonly adminId: bigint; readonly email: string },
): Promise<void> {
  const token = randomBytes(tokenBytes).toString("base64url");
  await spendAdminTokens(tx, adminId);
  const { id, expiresAt } = await insertAdminToken(tx, { adminId, tokenHash: sha256(token), minutes: validMinutes });
  await mails.queueMail(tx, {
    dedupeKey: `admin_password:${id}`,
    template: "password_reset",
    userId: null,
    to: email,
    locale: "en",
    variables: { link: `${baseUrl}/reset-password/?token=${token}`, valid_minutes: String(validMinutes) },
    source: "accounts",
    expiresAt,
  });
}
