import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { formPath } from "../../platform/page-locale.ts";
import type { LoginProfile } from "../store.ts";

/**
 * Notifies the owner of the account, in the transaction that changed the password, so that no password changes
 * unnoticed. The notice holds no token: its link leads to the page where one requests a link.
 */
export async function mailPasswordChange(
  tx: Transaction,
  { mails, baseUrl }: { readonly mails: MailQueue; readonly baseUrl: string },
  { userId, email, locale }: Pick<LoginProfile, "userId" | "email" | "locale">,
): Promise<void> {
  await mails.queueMail(tx, {
    dedupeKey: `password_changed:${userId}:${Bun.randomUUIDv7()}`,
    template: "password_changed",
    userId,
    to: email,
    locale,
    variables: { reset_link: baseUrl + formPath("/reset-password/", mailLocaleOf(locale)) },
    source: "accounts",
  });
}
