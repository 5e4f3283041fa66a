import type { BulkActionName } from "@sluice/contracts/bulk-action-table";
import { t } from "../translate.ts";

type BulkTexts = {
  /** The verb of the button. */
  readonly label: string;
  /** What happens to each row, before it happens. */
  readonly effect: string;
  readonly tone?: "danger";
};

const archiving = t("They are out of use and out of lists from now on. The books keep them, and they can be restored.");

export const bulkTexts: Readonly<Record<BulkActionName, BulkTexts>> = {
  "users.suspend": {
    label: t("Suspend"),
    tone: "danger",
    effect: t("They are logged out, and their API keys and access tokens are refused. Balance and data are kept."),
  },
  "users.activate": { label: t("Activate"), effect: t("They can log in, and their API keys work again.") },
  "users.group": {
    label: t("Add to group"),
    effect: t(
      "They get the group in addition to their own. Keys without a group use the one with the highest rank, and its prices.",
    ),
  },
  "users.end_sessions": {
    label: t("End sessions"),
    effect: t("They are logged out everywhere, and their access tokens end. Their API keys keep working."),
  },
  "organisations.suspend": {
    label: t("Suspend"),
    tone: "danger",
    effect: t("Their API keys and access tokens are refused, and their members only read. Balance and data are kept."),
  },
  "organisations.reopen": { label: t("Reopen"), effect: t("Their API keys and access tokens work again.") },
  "organisations.group": {
    label: t("Add to group"),
    effect: t(
      "They get the group in addition to their own. Keys without a group use the one with the highest rank, and its prices.",
    ),
  },
  "keys.lock": {
    label: t("Lock"),
    tone: "danger",
    effect: t("Calls with them are refused, and their owners see your reason. Only an admin can undo it."),
  },
  "keys.unlock": { label: t("Unlock"), effect: t("Calls with them are served again.") },
  "keys.revoke": {
    label: t("Revoke"),
    tone: "danger",
    effect: t("Calls with them are refused for good. This can’t be undone."),
  },
  "channels.enable": { label: t("Enable"), effect: t("They get calls again.") },
  "channels.disable": {
    label: t("Disable"),
    tone: "danger",
    effect: t("They no longer get calls; running calls continue."),
  },
  "channels.archive": {
    label: t("Archive"),
    tone: "danger",
    effect: t("{archiving} Their credentials are destroyed.", { archiving }),
  },
  "models.archive": { label: t("Archive"), tone: "danger", effect: archiving },
  "plans.archive": {
    label: t("Archive"),
    tone: "danger",
    effect: t("{archiving} What was sold stays valid.", { archiving }),
  },
  "code-batches.revoke": {
    label: t("Revoke"),
    tone: "danger",
    effect: t("Codes that nobody has redeemed can’t be redeemed any more. This can’t be undone."),
  },
  "coupons.revoke": {
    label: t("Revoke"),
    tone: "danger",
    effect: t("Orders from now on can’t use them. Orders that have one keep it. This can’t be undone."),
  },
  "leads.contacted": { label: t("Mark as contacted"), effect: t("They no longer count as waiting. Nothing is sent.") },
  "leads.spam": { label: t("Mark as spam"), effect: t("They no longer count as waiting. Nothing is deleted.") },
  "exit-nodes.enable": {
    label: t("Enable"),
    effect: t("They get calls of the group node-test once their checks succeed."),
  },
  "exit-nodes.disable": {
    label: t("Disable"),
    tone: "danger",
    effect: t("They no longer get calls; running calls continue. Users whose routes name one of them are not served."),
  },
  "gateway-events.replay": {
    label: t("Process again"),
    effect: t("Processing a message twice has no further effect. At most 30 a minute."),
  },
  "mails.resend": {
    label: t("Send again"),
    effect: t("They are queued again, with the current texts of their templates."),
  },
  "orders.cancel": {
    label: t("Cancel"),
    tone: "danger",
    effect: t("They are not credited. Cancel an order if no money came, or if it was sent back at the gateway."),
  },
  "orders.dismiss": {
    label: t("Clear the mark"),
    effect: t("They no longer count as needing review. No money moves."),
  },
  "renewals.cancel": {
    label: t("Cancel"),
    tone: "danger",
    effect: t("They are cancelled at the card gateway; paid months run to their end."),
  },
};
