import type { MailQueue } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { accountPath } from "../sign-in/model.ts";
import type { LoginProfile } from "../store.ts";

export type PasskeyMailDeps = { readonly mails: MailQueue; readonly baseUrl: string };

/** Tells the owner of an account what happened to a passkey of it. */
export async function mailAboutPasskey(
  tx: Transaction,
  { mails, baseUrl }: PasskeyMailDeps,
  template: "passkey_added" | "passkey_removed" | "passkey_copied",
  user: Pick<LoginProfile, "userId" | "email" | "locale">,
): Promise<void> {
  const { userId, email, locale } = user;
  await mails.queueMail(tx, {
    dedupeKey: `${template}:${userId}:${Bun.randomUUIDv7()}`,
    template,
    userId,
    to: email,
    locale,
    variables: { account_link: baseUrl + accountPath },
    source: "accounts",
  });
}
