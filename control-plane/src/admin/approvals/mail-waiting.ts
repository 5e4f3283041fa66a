import type { MailQueue } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import type { Approval } from "./model.ts";
import type { SuperAdmins } from "./port.ts";

const minutesPerHour = 60;

export type MailWaitingDeps = { readonly mails: MailQueue; readonly admins: SuperAdmins; readonly baseUrl: string };

/** Emails every super-admin who may approve a request, in the transaction that creates it. */
export async function mailWaiting(
  tx: Transaction,
  { mails, admins, baseUrl }: MailWaitingDeps,
  { approval, hours }: { readonly approval: Approval; readonly hours: number },
): Promise<void> {
  for (const { id, email } of await admins.othersThan(tx, approval.requestedBy)) {
    await mails.queueMail(tx, {
      dedupeKey: `approval_waiting:${approval.id}:${id}`,
      template: "approval_waiting",
      userId: null,
      to: email,
      locale: "en",
      variables: {
        link: `${baseUrl}/admin/approvals/`,
        request_no: approval.id.toString(),
        valid_minutes: String(hours * minutesPerHour),
      },
      source: "approvals",
      expiresAt: approval.expiresAt,
    });
  }
}
