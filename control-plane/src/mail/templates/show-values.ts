import { directionOf, type Locale } from "@sluice/contracts/locales";
import { quotaPerUsd } from "@sluice/contracts/money";
import type { MailTemplateName, MailVariables } from "../model.ts";
import { isLinkName } from "./shape.ts";

/** The values that belong to the service, and not to one email. */
export type SharedValues = {
  readonly service: string;
  /** The full URL of the console. */
  readonly console_link: string;
};

type Shown = Readonly<Record<string, string>>;

const firstStrongIsolate = "\u2068";
const popIsolate = "\u2069";

/**
 * How an email's variables look in a language: amounts with their currency, times with the right plural. In a
 * right-to-left language each value is isolated from the words around it, so that neither changes the direction of the
 * other.
 */
export function showValues<Name extends MailTemplateName>(
  mail: { readonly template: Name; readonly locale: Locale; readonly variables: MailVariables[Name] },
  shared: SharedValues,
): Shown {
  const { template, locale } = mail;
  const show = presenters[template] as (variables: MailVariables[Name], locale: Locale) => Shown;
  const values = Object.entries({ ...shared, ...show(mail.variables, locale) });
  const isRightToLeft = directionOf(locale) === "rtl";
  const isolate = ([name, text]: [string, string]): [string, string] => {
    const clean = withoutControls(text);
    return [name, isRightToLeft && !isLinkName(name) ? `${firstStrongIsolate}${clean}${popIsolate}` : clean];
  };
  return Object.fromEntries(values.map(isolate));
}

const presenters: {
  readonly [Name in MailTemplateName]: (variables: MailVariables[Name], locale: Locale) => Shown;
} = {
  email_verify: ({ link, valid_minutes }, locale) => ({ link, valid_for: duration(valid_minutes, locale) }),
  account_exists: ({ login_link, reset_link }) => ({ login_link, reset_link }),
  password_reset: ({ link, valid_minutes }, locale) => ({ link, valid_for: duration(valid_minutes, locale) }),
  password_changed: ({ reset_link }) => ({ reset_link }),
  recovery_code_used: ({ left, account_link }, locale) => ({
    left: new Intl.NumberFormat(locale).format(Number(left)),
    account_link,
  }),
  organisation_invitation: ({ link, valid_minutes }, locale) => ({ link, valid_for: duration(valid_minutes, locale) }),
  sign_in_linked: ({ provider, account_link }) => ({ provider, account_link }),
  passkey_added: ({ account_link }) => ({ account_link }),
  passkey_removed: ({ account_link }) => ({ account_link }),
  passkey_copied: ({ account_link }) => ({ account_link }),
  account_closing: ({ account_link, closes_at }, locale) => ({ account_link, closes_on: day(closes_at, locale) }),
  account_kept: ({ account_link }) => ({ account_link }),
  account_closed: ({ register_link }) => ({ register_link }),
  email_change: ({ link, valid_minutes }, locale) => ({ link, valid_for: duration(valid_minutes, locale) }),
  email_changed: ({ link }) => ({ link }),
  email_restored: ({ link }) => ({ link }),
  approval_waiting: ({ link, request_no, valid_minutes }, locale) => ({
    link,
    request_no,
    valid_for: duration(valid_minutes, locale),
  }),
  payment_success: ({ order_no, plan_name, amount, currency, quota }, locale) => ({
    order_no,
    plan_name,
    amount: money(amount, currency, locale),
    credit: credit(quota, locale),
  }),
  renewal_failed: ({ plan_name, amount, currency, until, billing_link }, locale) => ({
    plan_name,
    amount: money(amount, currency, locale),
    until: day(until, locale),
    billing_link,
  }),
  renewal_ended: ({ plan_name, billing_link }) => ({ plan_name, billing_link }),
  renewal_left: ({ plan_name, until, billing_link }, locale) => ({
    plan_name,
    until: day(until, locale),
    billing_link,
  }),
  renewal_changes: ({ plan_name, amount, currency, quota, from, billing_link }, locale) => ({
    plan_name,
    amount: money(amount, currency, locale),
    credit: credit(quota, locale),
    from: day(from, locale),
    billing_link,
  }),
  top_up_failed: ({ amount, currency, link }, locale) => ({ amount: money(amount, currency, locale), link }),
  top_up_stopped: ({ amount, currency, billing_link }, locale) => ({
    amount: money(amount, currency, locale),
    billing_link,
  }),
  quota_low: ({ threshold_percent, quota }, locale) => ({
    threshold: percent(threshold_percent, locale),
    credit: credit(quota, locale),
  }),
  organisation_quota_low: ({ organisation, threshold_percent, quota }, locale) => ({
    organisation,
    threshold: percent(threshold_percent, locale),
    credit: credit(quota, locale),
  }),
  operator_event: ({ title, details, link }) => ({ title, details, link }),
  webhook_failed: ({ link }) => ({ link }),
};

const percent = (text: string, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: "percent" }).format(Number(text) / 100);

/** Control characters end headers and lines; no value of an email needs one. */
function withoutControls(text: string): string {
  return [...text].map((character) => (/\p{Cc}|[\u2028\u2029]/u.test(character) ? " " : character)).join("");
}

function duration(minutesText: string, locale: Locale): string {
  const minutes = Number(minutesText);
  const isHours = minutes >= 60 && minutes % 60 === 0;
  const options = { style: "unit", unit: isHours ? "hour" : "minute", unitDisplay: "long" } as const;
  return new Intl.NumberFormat(locale, options).format(isHours ? minutes / 60 : minutes);
}

/** An amount of money, exact even if it is large: the formatter gets the decimal as text. */
function money(amount: string, currency: string, locale: Locale): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount as Intl.StringNumericLiteral);
}

/** The day of a moment, in UTC. */
function day(moment: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(moment));
}

const centsPerUsd = 100n;

/** An amount of quota as money, rounded down to the cent, so that nobody is shown a balance that does not exist. */
function credit(quotaText: string, locale: Locale): string {
  const quota = BigInt(quotaText);
  const cents = ((quota < 0n ? 0n : quota) * centsPerUsd) / quotaPerUsd;
  const text = `${cents / centsPerUsd}.${(cents % centsPerUsd).toString().padStart(2, "0")}`;
  return money(text, "USD", locale);
}
