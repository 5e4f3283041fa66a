import type { SuperAdmins } from "../../admin/approvals/port.ts";
import type { MailQueue } from "../../mail/model.ts";
import type { Transaction } from "../../platform/db.ts";
import { findOwnerMails } from "../target-store.ts";
import type { ClaimedDelivery } from "./delivery-store.ts";
import { describeEvent } from "./describe-event.ts";

export type MailReport = { readonly mails: MailQueue; readonly admins: SuperAdmins; readonly baseUrl: string };

/** Queues the mail that is the delivery to a mailbox. */
export async function mailEvent(
  tx: Transaction,
  { mails, baseUrl }: MailReport,
  { to, delivery }: { readonly to: string; readonly delivery: ClaimedDelivery },
): Promise<void> {
  const { title, lines } = describeEvent(delivery.event);
  await mails.queueMail(tx, {
    dedupeKey: `event:${delivery.id}:${delivery.attempts}:${delivery.event.id}`,
    template: "operator_event",
    userId: null,
    to,
    locale: "en",
    variables: { title, details: lines.join(" · "), link: `${baseUrl}/admin/events/` },
    source: "events",
  });
}

/** Mails the owner of a target that it was switched off: for one of the operator's, the super-admins. */
export async function mailTargetFailed(
  tx: Transaction,
  { mails, admins, baseUrl }: MailReport,
  { id, target }: ClaimedDelivery,
): Promise<void> {
  const queue = async (to: string, userId: bigint | null, locale: string): Promise<void> => {
    await mails.queueMail(tx, {
      dedupeKey: `event_target_failed:${id}:${to}`,
      template: "webhook_failed",
      userId,
      to,
      locale,
      variables: { link: target.gatewayUserId === null ? `${baseUrl}/admin/events/` : `${baseUrl}/console/webhooks/` },
      source: "events",
    });
  };
  if (target.gatewayUserId === null) {
    for (const { email } of await admins.othersThan(tx, 0n)) {
      await queue(email, null, "en");
    }
    return;
  }
  for (const owner of await findOwnerMails(tx, target.gatewayUserId)) {
    await queue(owner.email, owner.userId, owner.locale);
  }
}
