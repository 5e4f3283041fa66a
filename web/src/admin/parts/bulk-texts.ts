import type { BulkActionName } from "@sluice/contracts/bulk-action-table";

type BulkTexts = {
  /** The verb of the button. */
  readonly label: string;
  /** What happens to each row, before it happens. */
  readonly effect: string;
  readonly tone?: "danger";
};

const archiving = "They are out of use and out of lists from now on. The books keep them, and they can be restored.";

export const bulkTexts: Readonly<Record<BulkActionName, BulkTexts>> = {
  "users.suspend": {
    label: "Suspend",
    tone: "danger",
    effect: "They are logged out, and their API keys and access tokens are refused. Balance and data are kept.",
  },
  "users.activate": { label: "Activate", effect: "They can log in, and their API keys work again." },
  "users.group": {
    label: "Put into group",
    effect:
      "They get the group in addition to their own. Keys that name no group use the one with the highest rank, and its prices.",
  },
  "users.end_sessions": {
    label: "End sessions",
    effect: "They are logged out everywhere, and their access tokens end. Their API keys go on working.",
  },
  "organisations.suspend": {
    label: "Suspend",
    tone: "danger",
    effect: "Their API keys and access tokens are refused, and their members only read. Balance and data are kept.",
  },
  "organisations.reopen": { label: "Reopen", effect: "Their API keys and access tokens work again." },
  "organisations.group": {
    label: "Put into group",
    effect:
      "They get the group in addition to their own. Keys that name no group use the one with the highest rank, and its prices.",
  },
  "keys.lock": {
    label: "Lock",
    tone: "danger",
    effect: "Calls with them are refused, and their owners see your reason. Only an admin can undo it.",
  },
  "keys.unlock": { label: "Unlock", effect: "Calls with them are served again." },
  "keys.revoke": {
    label: "Revoke",
    tone: "danger",
    effect: "Calls with them are refused for good. This can’t be undone.",
  },
  "channels.enable": { label: "Enable", effect: "They get calls again." },
  "channels.disable": {
    label: "Disable",
    tone: "danger",
    effect: "They get no calls any more; running calls continue.",
  },
  "channels.archive": {
    label: "Archive",
    tone: "danger",
    effect: `${archiving} Their credentials are destroyed.`,
  },
  "models.archive": { label: "Archive", tone: "danger", effect: archiving },
  "plans.archive": { label: "Archive", tone: "danger", effect: `${archiving} What was sold stays valid.` },
  "code-batches.revoke": {
    label: "Revoke",
    tone: "danger",
    effect: "Codes that nobody has redeemed can’t be redeemed any more. This can’t be undone.",
  },
  "coupons.revoke": {
    label: "Revoke",
    tone: "danger",
    effect: "Orders from now on can’t use them. Orders that have one keep it. This can’t be undone.",
  },
  "leads.contacted": { label: "Mark as contacted", effect: "They no longer count as waiting. Nothing is sent." },
  "leads.spam": { label: "Mark as spam", effect: "They no longer count as waiting. Nothing is deleted." },
  "exit-nodes.enable": { label: "Enable", effect: "They get calls of the group node-test once their checks succeed." },
  "exit-nodes.disable": {
    label: "Disable",
    tone: "danger",
    effect: "They get no calls any more; running calls continue. Users whose routes name one of them are not served.",
  },
  "gateway-events.replay": {
    label: "Process again",
    effect: "What was processed already has no second effect. At most 30 a minute.",
  },
  "mails.resend": { label: "Send again", effect: "They are queued again, with what their templates say now." },
  "orders.cancel": {
    label: "Cancel",
    tone: "danger",
    effect: "They are not credited. Cancel an order if no money came, or if it was sent back at the gateway.",
  },
  "orders.dismiss": { label: "Clear the mark", effect: "They no longer count as needing review. No money moves." },
  "renewals.cancel": {
    label: "Cancel",
    tone: "danger",
    effect: "They are cancelled at the card gateway; months that are paid run to their end.",
  },
};
