import type { mailTemplateNames } from "@sluice/contracts/mail";

// Repeats the names in packages/contracts, since their schema would bring zod into the browser. The record has to name
// each of them.
const names: Readonly<Record<(typeof mailTemplateNames)[number], string>> = {
  email_verify: "Confirm the address after registering",
  account_exists: "Someone registered with an address that already has an account",
  password_reset: "Choose a new password",
  password_changed: "A password was changed",
  recovery_code_used: "A recovery code was used instead of an authenticator",
  sign_in_linked: "A sign-in was linked to an account",
  passkey_added: "A passkey was added to an account",
  passkey_removed: "A passkey was removed from an account",
  passkey_copied: "A passkey may have been copied",
  account_closing: "An account is being closed",
  account_kept: "An account is kept after all",
  account_closed: "An account was closed",
  email_change: "Verification of a new address of an account",
  email_changed: "The address of an account was changed",
  email_restored: "The address of an account was changed back",
  approval_waiting: "A request waits for a second super-admin",
  organisation_invitation: "Invitation to an organisation",
  payment_success: "A payment was received",
  renewal_failed: "A plan that renews could not be charged",
  renewal_ended: "A plan ended because it could not be charged",
  renewal_left: "The card of an organisation's plan is charged no more, because its owner left",
  renewal_changes: "A plan that renews gets new terms",
  quota_low: "The balance is low",
  organisation_quota_low: "The balance of an organisation is low",
  operator_event: "An event, to a mailbox of the operator",
  webhook_failed: "A webhook was switched off because it failed for days",
};

/** The names of the templates. */
export const mailTemplates = Object.keys(names);

/** When a mail of a template is sent. */
export function templateOccasion(name: string): string {
  return (names as Readonly<Record<string, string>>)[name] ?? name;
}
