import { type Locale, localeOfTag } from "@sluice/contracts/locales";
import type { Transaction } from "../platform/db.ts";

/**
 * The variables of each email; all strings. `link`s are full URLs; `valid_minutes` is a count; amounts are decimals
 * with the code of their currency; `quota` is an integer of quota. The renderer formats them for a language. None of
 * them is a name chosen by a user, because a stranger could use it to put a line into one of our emails.
 */
export type MailVariables = {
  readonly email_verify: { readonly link: string; readonly valid_minutes: string };
  /** To the owner of an account, when someone registers with the same address. */
  readonly account_exists: { readonly login_link: string; readonly reset_link: string };
  readonly password_reset: { readonly link: string; readonly valid_minutes: string };
  /** To the account's owner, so that a change by someone else is noticed. */
  readonly password_changed: { readonly reset_link: string };
  /** To the account's owner, when a recovery code was used in place of the authenticator. */
  readonly recovery_code_used: { readonly left: string; readonly account_link: string };
  /** To the account's owner, when a sign-in of a provider was linked. */
  readonly sign_in_linked: { readonly provider: string; readonly account_link: string };
  /** To the account's owner, when a passkey was added, removed, or used by a copy. */
  readonly passkey_added: { readonly account_link: string };
  readonly passkey_removed: { readonly account_link: string };
  readonly passkey_copied: { readonly account_link: string };
  /** To the account's owner, when the account is being closed, is kept after all, or was closed. */
  readonly account_closing: { readonly account_link: string; readonly closes_at: string };
  readonly account_kept: { readonly account_link: string };
  readonly account_closed: { readonly register_link: string };
  /** To a new address of an account. */
  readonly email_change: { readonly link: string; readonly valid_minutes: string };
  /** To the address that the account had. */
  readonly email_changed: { readonly link: string };
  /** The link leads to the page where a new password can be set. */
  readonly email_restored: { readonly link: string };
  /** To the super-admins who may approve another one's request. */
  readonly approval_waiting: { readonly link: string; readonly request_no: string; readonly valid_minutes: string };
  /** To an address that may have no account. */
  readonly organisation_invitation: { readonly link: string; readonly valid_minutes: string };
  readonly payment_success: {
    readonly order_no: string;
    readonly plan_name: string;
    readonly amount: string;
    readonly currency: string;
    readonly quota: string;
  };
  /** To the customer, each time a month of a plan can't be charged. `until` and `from` are moments in ISO 8601. */
  readonly renewal_failed: {
    readonly plan_name: string;
    readonly amount: string;
    readonly currency: string;
    readonly until: string;
    readonly billing_link: string;
  };
  /** To the customer, when a plan ended because it could not be charged. */
  readonly renewal_ended: { readonly plan_name: string; readonly billing_link: string };
  /** To those who may pay for an organisation, when the member whose card is charged for a plan no longer may. */
  readonly renewal_left: { readonly plan_name: string; readonly until: string; readonly billing_link: string };
  /** To the customer, before new terms of a plan hold. */
  readonly renewal_changes: {
    readonly plan_name: string;
    readonly amount: string;
    readonly currency: string;
    readonly quota: string;
    readonly from: string;
    readonly billing_link: string;
  };
  /** To the customer, when a saved payment method could not be charged; the link leads to the gateway's page. */
  readonly top_up_failed: { readonly amount: string; readonly currency: string; readonly link: string };
  /** To the customer, when nothing more is charged automatically. */
  readonly top_up_stopped: { readonly amount: string; readonly currency: string; readonly billing_link: string };
  readonly quota_low: { readonly threshold_percent: string; readonly quota: string };
  /** To the members of an organisation who may top its balance up. */
  readonly organisation_quota_low: {
    readonly organisation: string;
    readonly threshold_percent: string;
    readonly quota: string;
  };
  /** To a mailbox that an operator named, in English. */
  readonly operator_event: { readonly title: string; readonly details: string; readonly link: string };
  /** To the owner of a webhook that accepted nothing for days. */
  readonly webhook_failed: { readonly link: string };
};

export type MailTemplateName = keyof MailVariables;

/** An email to be sent. */
export type NewMail<Name extends MailTemplateName = MailTemplateName> = {
  /** The cause of the email, such as `payment_success:20260301-17`. Only the first email with a key exists. */
  readonly dedupeKey: string;
  readonly template: Name;
  /** Null for a recipient without an account. */
  readonly userId: bigint | null;
  readonly to: string;
  /** Any language tag; English replaces a language without a translation. */
  readonly locale: string;
  readonly variables: MailVariables[Name];
  /** The part of the program that sends the email, for the mail log. */
  readonly source: string;
  /** The email is useless after this time: it is dropped instead of sent. */
  readonly expiresAt?: Date;
};

/** Where the other features queue their emails. */
export type MailQueue = {
  /**
   * Adds the email to the transaction that it reports on: it is sent soon after the commit, and never without a commit.
   * @returns false, with no effect, when an email with this key exists already
   */
  readonly queueMail: <Name extends MailTemplateName>(tx: Transaction, mail: NewMail<Name>) => Promise<boolean>;
};

/** The translation that serves a language tag such as `pt-BR`; English when there is none. */
export function mailLocaleOf(tag: string): Locale {
  return localeOfTag(tag) ?? "en";
}

/** The result of an attempt to send an email. */
export type MailOutcome = {
  readonly template: MailTemplateName;
  readonly userId: bigint | null;
  readonly at: Date;
  /** Null when it was sent; else one line without secrets. */
  readonly error: string | null;
};

/** Called for every result, in the transaction that records it. */
export type MailHook = (tx: Transaction, outcome: MailOutcome) => Promise<void>;

/** How the shipped mails look, as far as the operator chooses. */
export type MailLook = {
  /** A colour in which text is readable on white, and white text on it. */
  readonly accent: string;
  /** An image with a full URL, or null. */
  readonly logo: { readonly url: string; readonly width: number; readonly height: number } | null;
};

/** The look that mails have until the operator chooses another. */
export const plainMailLook: MailLook = { accent: "#0b6b5f", logo: null };
