import type { MailTemplateName } from "../model.ts";

/** Every email has these placeholders: the name of the service and the URL of its console. */
export const sharedNames = ["service", "console_link"] as const;

/**
 * The structure of an email, which is the same in all languages. `names` are its own placeholders, `required` those
 * that its text must use, `action` the target of the button.
 */
export type TemplateShape = {
  readonly names: readonly string[];
  readonly required: readonly string[];
  readonly action: string;
};

export const templateShapes: Readonly<Record<MailTemplateName, TemplateShape>> = {
  email_verify: { names: ["link", "valid_for"], required: ["link"], action: "link" },
  account_exists: { names: ["login_link", "reset_link"], required: ["login_link"], action: "login_link" },
  password_reset: { names: ["link", "valid_for"], required: ["link"], action: "link" },
  password_changed: { names: ["reset_link"], required: ["reset_link"], action: "reset_link" },
  recovery_code_used: { names: ["left", "account_link"], required: ["account_link"], action: "account_link" },
  sign_in_linked: {
    names: ["provider", "account_link"],
    required: ["provider", "account_link"],
    action: "account_link",
  },
  passkey_added: { names: ["account_link"], required: ["account_link"], action: "account_link" },
  passkey_removed: { names: ["account_link"], required: ["account_link"], action: "account_link" },
  passkey_copied: { names: ["account_link"], required: ["account_link"], action: "account_link" },
  account_closing: {
    names: ["account_link", "closes_on"],
    required: ["account_link", "closes_on"],
    action: "account_link",
  },
  account_kept: { names: ["account_link"], required: ["account_link"], action: "account_link" },
  account_closed: { names: ["register_link"], required: [], action: "register_link" },
  email_change: { names: ["link", "valid_for"], required: ["link"], action: "link" },
  email_changed: { names: ["link"], required: ["link"], action: "link" },
  email_restored: { names: ["link"], required: ["link"], action: "link" },
  approval_waiting: { names: ["link", "request_no", "valid_for"], required: ["link"], action: "link" },
  organisation_invitation: { names: ["link", "valid_for"], required: ["link"], action: "link" },
  payment_success: {
    names: ["order_no", "plan_name", "amount", "credit"],
    required: ["order_no", "amount"],
    action: "console_link",
  },
  renewal_failed: {
    names: ["plan_name", "amount", "until", "billing_link"],
    required: ["plan_name", "billing_link"],
    action: "billing_link",
  },
  renewal_ended: {
    names: ["plan_name", "billing_link"],
    required: ["plan_name", "billing_link"],
    action: "billing_link",
  },
  renewal_left: {
    names: ["plan_name", "until", "billing_link"],
    required: ["plan_name", "billing_link"],
    action: "billing_link",
  },
  renewal_changes: {
    names: ["plan_name", "amount", "credit", "from", "billing_link"],
    required: ["plan_name", "amount", "from", "billing_link"],
    action: "billing_link",
  },
  top_up_failed: { names: ["amount", "link"], required: ["amount", "link"], action: "link" },
  top_up_stopped: { names: ["amount", "billing_link"], required: ["billing_link"], action: "billing_link" },
  quota_low: { names: ["threshold", "credit"], required: ["credit"], action: "console_link" },
  organisation_quota_low: {
    names: ["organisation", "threshold", "credit"],
    required: ["organisation", "credit"],
    action: "console_link",
  },
  operator_event: { names: ["title", "details", "link"], required: ["title", "details"], action: "link" },
  webhook_failed: { names: ["link"], required: ["link"], action: "link" },
};

/** Links are shown as URLs, from left to right in every language; the subject, which is stored, may contain none. */
export const isLinkName = (name: string): boolean => name === "link" || name.endsWith("_link");
