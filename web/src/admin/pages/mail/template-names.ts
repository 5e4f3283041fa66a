import type { mailTemplateNames } from "@sluice/contracts/mail";
import { t } from "../../translate.ts";

// Repeats the names in packages/contracts, since their schema would bring zod into the browser. The record has to name
// each of them.
const names: Readonly<Record<(typeof mailTemplateNames)[number], string>> = {
  email_verify: t("Confirm the address after registering"),
  account_exists: t("Someone registered with an address that already has an account"),
  password_reset: t("Choose a new password"),
  password_changed: t("A password was changed"),
  recovery_code_used: t("A recovery code was used instead of an authenticator"),
  sign_in_linked: t("A sign-in was linked to an account"),
  passkey_added: t("A passkey was added to an account"),
  passkey_removed: t("A passkey was removed from an account"),
  passkey_copied: t("A passkey may have been copied"),
  account_closing: t("An account is being closed"),
  account_kept: t("The closing of an account was undone"),
  account_closed: t("An account was closed"),
  email_change: t("Verification of a new address of an account"),
  email_changed: t("The address of an account was changed"),
  email_restored: t("The address of an account was changed back"),
  approval_waiting: t("A request waits for a second super-admin"),
  organisation_invitation: t("Invitation to an organisation"),
  payment_success: t("A payment was received"),
  renewal_failed: t("A plan that renews could not be charged"),
  renewal_ended: t("A plan ended because it could not be charged"),
  renewal_left: t("The card of an organisation's plan is no longer charged, because its owner left"),
  renewal_changes: t("A plan that renews gets new terms"),
  quota_low: t("The balance is low"),
  organisation_quota_low: t("The balance of an organisation is low"),
  operator_event: t("An event, to a mailbox of the operator"),
  webhook_failed: t("A webhook was switched off because it failed for days"),
};

/** The names of the templates. */
export const mailTemplates = Object.keys(names);

/** When a mail of a template is sent. */
export function templateOccasion(name: string): string {
  return (names as Readonly<Record<string, string>>)[name] ?? name;
}
