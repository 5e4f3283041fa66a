import { type MailQueue, mailLocaleOf } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { formPath } from "../../platform/page-locale.ts";
import type { LoginProfile } from "../store.ts";

/**
 * Leaves a notice to the owner of the account in the transaction that changed the password, so that nobody's password
 * changes behind their back. It holds no token: its link leads to the page where one asks for a link of one's own.
 */
export async function tellPasswordChange(
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
