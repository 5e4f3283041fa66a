/** The text of one email, in one language. `{{name}}` is a variable of the email. */
export type MailText = {
  readonly subject: string;
  readonly title: string;
  readonly body: readonly string[];
  /** The label of the button. */
  readonly action: string;
  /** Small print below the button. */
  readonly notes: readonly string[];
};

/** All emails in one language: a missing text does not compile. */
export type MailWords = {
  /** The text between the name of a thing and the thing, with the appropriate space. */
  readonly colon: string;
  /** The text above the URL that the button leads to. */
  readonly byHand: string;
  readonly footer: string;
  readonly email_verify: MailText;
  readonly account_exists: MailText;
  readonly password_reset: MailText;
  readonly password_changed: MailText;
  readonly recovery_code_used: MailText;
  readonly sign_in_linked: MailText;
  readonly passkey_added: MailText;
  readonly passkey_removed: MailText;
  readonly passkey_copied: MailText;
  readonly account_closing: MailText;
  readonly account_kept: MailText;
  readonly account_closed: MailText;
  readonly email_change: MailText;
  readonly email_changed: MailText;
  readonly email_restored: MailText;
  readonly approval_waiting: MailText;
  readonly organisation_invitation: MailText;
  readonly payment_success: MailText & {
    /** Labels of the rows of the receipt. */
    readonly facts: {
      readonly order_no: string;
      readonly plan_name: string;
      readonly amount: string;
      readonly credit: string;
    };
  };
  readonly renewal_failed: MailText;
  readonly renewal_ended: MailText;
  readonly renewal_left: MailText;
  readonly renewal_changes: MailText;
  readonly top_up_failed: MailText;
  readonly top_up_stopped: MailText;
  readonly quota_low: MailText;
  readonly organisation_quota_low: MailText;
  readonly operator_event: MailText;
  readonly webhook_failed: MailText;
};
