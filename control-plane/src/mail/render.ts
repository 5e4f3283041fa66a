import type { Locale } from "@sluice/contracts/locales";
import { escapeHtml } from "../platform/html.ts";
import type { MailTemplateName } from "./model.ts";
import type { TemplateSource } from "./templates/layout.ts";
import { fillPlaceholders } from "./templates/placeholders.ts";
import { type SharedValues, showValues } from "./templates/show-values.ts";

export type RenderedMail = { readonly subject: string; readonly html: string; readonly text: string };

/** An email, read from its row and decrypted. */
export type MailToRender = {
  readonly template: MailTemplateName;
  readonly locale: Locale;
  readonly variables: Readonly<Record<string, string>>;
};

/**
 * Fills a template. Values are escaped in the HTML, and a line break in one can't end a header.
 * @throws UnknownPlaceholderError for a name without a value; TypeError, RangeError, SyntaxError for a missing or
 * invalid variable
 */
export function renderMail(source: TemplateSource, mail: MailToRender, shared: SharedValues): RenderedMail {
  const values = showValues(mail as Parameters<typeof showValues>[0], shared);
  const findValue = (name: string): string | undefined => (Object.hasOwn(values, name) ? values[name] : undefined);
  const htmlOf = (name: string): string | undefined => {
    const value = findValue(name);
    return value === undefined ? undefined : escapeHtml(value);
  };
  return {
    subject: fillPlaceholders(source.subject, findValue),
    html: fillPlaceholders(source.html, htmlOf),
    text: fillPlaceholders(source.text, findValue),
  };
}
