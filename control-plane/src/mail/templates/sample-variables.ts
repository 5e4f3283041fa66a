import type { MailTemplateName, MailVariables } from "../model.ts";

/** Made-up values for template previews. */
export function sampleVariables(siteUrl: string): { readonly [Name in MailTemplateName]: MailVariables[Name] } {
  const link = `${siteUrl}/sample/?token=SAMPLE`;
  return {
    email_verify: { link, valid_minutes: "1440" },
    account_exists: { login_link: `${siteUrl}/login/`, reset_link: `${siteUrl}/sample/` },
    password_reset: { link, valid_minutes: "60" },
    recovery_code_used: { left: "9", account_link: `${siteUrl}/sample/` },
    sign_in_linked: { provider: "Example", account_link: `${siteUrl}/sample/` },
    passkey_added: { account_link: `${siteUrl}/sample/` },
    passkey_removed: { account_link: `${siteUrl}/sample/` },
    passkey_copied: { account_link: `${siteUrl}/sample/` },
    account_closing: { account_link: `${siteUrl}/sample/`, closes_at: "2027-01-31T12:00:00.000Z" },
    account_kept: { account_link: `${siteUrl}/sample/` },
    account_closed: { register_link: `${siteUrl}/sample/` },
    email_change: { link, valid_minutes: "60" },
    email_changed: { link },
    email_restored: { link },
    password_changed: { reset_link: `${siteUrl}/sample/` },
    approval_waiting: { link: `${siteUrl}/sample/`, request_no: "12", valid_minutes: "4320" },
    organisation_invitation: { link, valid_minutes: "10080" },
    payment_success: {
      order_no: "SAMPLE1234",
      plan_name: "Sample <plan> & more",
      amount: "20.00",
      currency: "USD",
      quota: "10000000",
    },
    renewal_failed: {
      ...{ plan_name: "Sample <plan> & more", amount: "20.00", currency: "USD" },
      ...{ until: "2027-01-31T12:00:00.000Z", billing_link: `${siteUrl}/sample/` },
    },
    renewal_ended: { plan_name: "Sample <plan> & more", billing_link: `${siteUrl}/sample/` },
    renewal_left: {
      ...{ plan_name: "Sample <plan> & more (Sample & Sons)", until: "2027-01-31T12:00:00.000Z" },
      billing_link: `${siteUrl}/sample/`,
    },
    renewal_changes: {
      ...{ plan_name: "Sample <plan> & more", amount: "25.00", currency: "USD", quota: "12000000" },
      ...{ from: "2027-01-31T12:00:00.000Z", billing_link: `${siteUrl}/sample/` },
    },
    top_up_failed: { amount: "20.00", currency: "USD", link: `${siteUrl}/sample/` },
    top_up_stopped: { amount: "20.00", currency: "USD", billing_link: `${siteUrl}/sample/` },
    quota_low: { threshold_percent: "20", quota: "1234567" },
    organisation_quota_low: { organisation: "Example Ltd", threshold_percent: "20", quota: "1234567" },
    operator_event: {
      title: "Exit node tokyo-1 is lost",
      details: "Its checks fail: timeout",
      link: `${siteUrl}/sample/`,
    },
    webhook_failed: { link: `${siteUrl}/sample/` },
  };
}
