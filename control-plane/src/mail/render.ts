import type { Locale } from "@sluice/contracts/locales";
import { escapeHtml, html } from "../platform/html.ts";
import type { MailLook, MailTemplateName } from "./model.ts";
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
 * Fills a template, and puts the operator's logo above its heading. Values are escaped in the HTML, and a line break in one can't end a header.
 * @throws UnknownPlaceholderError for a name without a value; TypeError, RangeError, SyntaxError for a missing or
 * invalid variable
 */
export function renderMail(
  source: TemplateSource,
  mail: MailToRender,
  { shared, look }: { readonly shared: SharedValues; readonly look: MailLook },
): RenderedMail {
  const values = showValues(mail as Parameters<typeof showValues>[0], shared);
  const findValue = (name: string): string | undefined => (Object.hasOwn(values, name) ? values[name] : undefined);
  const htmlOf = (name: string): string | undefined => {
    const value = findValue(name);
    return value === undefined ? undefined : escapeHtml(value);
  };
  return {
    subject: fillPlaceholders(source.subject, findValue),
    html: withLogo(fillPlaceholders(source.html, htmlOf), look, shared.service),
    text: fillPlaceholders(source.text, findValue),
  };
}

const logoHeight = 32;
const logoWidthMax = 240;

/** With the logo above the first heading, as templates hold no pictures. Programs that load none show the name. */
function withLogo(markup: string, { logo }: MailLook, name: string): string {
  if (logo === null) {
    return markup;
  }
  const scale = Math.min(logoHeight / logo.height, logoWidthMax / logo.width);
  const side = (length: number): string => String(Math.max(1, Math.round(length * scale)));
  const image = html`<p style="margin:0 0 20px"><img src="${logo.url}" width="${side(logo.width)}" height="${side(logo.height)}" alt="${name}" style="display:block;border:0"></p>\n`;
  return markup.replace(/<h1\b/, (heading) => `${image.toString()}${heading}`);
}
