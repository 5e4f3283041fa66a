import { type Locale, localeOfTag } from "@sluice/contracts/locales";
import type { Transaction } from "../platform/db.ts";

/**
 * The values each mail needs; all texts. `link`s are whole addresses; `valid_minutes` is a count; amounts are decimals
 * with the code of their currency; `quota` is an integer of quota. The renderer formats them for a language. No name
 * chosen by a user is among them: it would let a stranger put a line into one of our mails.
 */
export type MailVariables = {
  readonly email_verify: { readonly link: string; readonly valid_minutes: string };
  /** To somebody who has an account, when somebody registers with the same address. */
  readonly account_exists: { readonly login_link: string; readonly reset_link: string };
  readonly password_reset: { readonly link: string; readonly valid_minutes: string };
  /** To whom the account belongs, so that a change by somebody else is noticed. */
  readonly password_changed: { readonly reset_link: string };
  /** The same for a code that stood in for the authenticator. */
  readonly recovery_code_used: { readonly left: string; readonly account_link: string };
  /** To the super-admins who may agree to what another one asked for. */
  readonly approval_waiting: { readonly link: string; readonly request_no: string; readonly valid_minutes: string };
  readonly payment_success: {
    readonly order_no: string;
    readonly plan_name: string;
    readonly amount: string;
    readonly currency: string;
    readonly quota: string;
  };
  readonly quota_low: { readonly threshold_percent: string; readonly quota: string };
};

export type MailTemplateName = keyof MailVariables;

/** A mail to be sent. */
export type NewMail<Name extends MailTemplateName = MailTemplateName> = {
  /** What it reports, like `payment_success:20260301-17`: of two mails with one key only the first exists. */
  readonly dedupeKey: string;
  readonly template: Name;
  /** Null when the mail goes to somebody without an account. */
  readonly userId: bigint | null;
  readonly to: string;
  /** Any language tag; what has no translation becomes English. */
  readonly locale: string;
  readonly variables: MailVariables[Name];
  /** Which part of the program it comes from, for the mail log. */
  readonly source: string;
  /** Nobody needs it after this: it is dropped then instead of sent. */
  readonly expiresAt?: Date;
};

/** Where the other features leave their mails. */
export type MailQueue = {
  /**
   * Adds the mail to the transaction it reports on: it is sent soon after the commit, and never without one.
   * @returns false, with no effect, when there was a mail with this key already
   */
  readonly queueMail: <Name extends MailTemplateName>(tx: Transaction, mail: NewMail<Name>) => Promise<boolean>;
};

/** The translation that serves a language tag such as `pt-BR`; English when there is none. */
export function mailLocaleOf(tag: string): Locale {
  return localeOfTag(tag) ?? "en";
}

/** What became of an attempt to send a mail. */
export type MailOutcome = {
  readonly template: MailTemplateName;
  readonly userId: bigint | null;
  readonly at: Date;
  /** Null when it was sent; else one line without secrets. */
  readonly error: string | null;
};

/** Called for every outcome, in the transaction that records it. */
export type MailHook = (tx: Transaction, outcome: MailOutcome) => Promise<void>;
