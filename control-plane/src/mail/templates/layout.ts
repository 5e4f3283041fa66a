import { directionOf, type Locale } from "@sluice/contracts/locales";
import { type Html, html } from "../../platform/html.ts";
import { type MailLook, type MailTemplateName, plainMailLook } from "../model.ts";
import { arabic } from "./arabic.ts";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { hindi } from "./hindi.ts";
import { japanese } from "./japanese.ts";
import { korean } from "./korean.ts";
import { placeholdersIn } from "./placeholders.ts";
import { portuguese } from "./portuguese.ts";
import { russian } from "./russian.ts";
import { isLinkName, templateShapes } from "./shape.ts";
import { spanish } from "./spanish.ts";
import type { MailText, MailWords } from "./words.ts";

const wordsByLocale: Readonly<Record<Locale, MailWords>> = {
  en: english,
  zh: chinese,
  ja: japanese,
  ko: korean,
  es: spanish,
  fr: french,
  de: german,
  pt: portuguese,
  ru: russian,
  ar: arabic,
  hi: hindi,
};

/** A whole email with `{{name}}` in place of its values, either as shipped or as an admin has saved it. */
export type TemplateSource = { readonly subject: string; readonly html: string; readonly text: string };

/** The shipped template of an email, as the operator wants it to look. */
export function builtInTemplate(
  name: MailTemplateName,
  locale: Locale,
  look: MailLook = plainMailLook,
): TemplateSource {
  const words = wordsByLocale[locale];
  return { subject: words[name].subject, html: htmlOf({ name, locale, words, look }), text: textOf(name, words) };
}

function factsOf(text: MailText & { readonly facts?: Readonly<Record<string, string>> }): [string, string][] {
  return Object.entries(text.facts ?? {});
}

function textOf(name: MailTemplateName, words: MailWords): string {
  const text = words[name];
  const facts = factsOf(text).map(([fact, label]) => `${label}${words.colon}{{${fact}}}`);
  const parts = [
    text.title,
    ...text.body,
    facts.join("\n"),
    `${text.action}${words.colon.trimEnd()}\n{{${templateShapes[name].action}}}`,
    ...text.notes,
    `-- \n${words.footer}`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const font = html`font-family:-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif`;
const small = "margin:0 0 8px;font-size:13px;line-height:20px;color:#5c6370";

/** A paragraph in which links become clickable. */
function paragraph(words: string, style: string, { accent }: MailLook): Html {
  const links = new Set(placeholdersIn(words).filter(isLinkName));
  const parts = words.split(/(\{\{[a-z_]+\}\})/).map((part) => {
    const isLink = part.startsWith("{{") && links.has(part.slice(2, -2));
    return isLink ? html`<a dir="ltr" href="${part}" style="color:${accent}">${part}</a>` : part;
  });
  return html`<p style="${style}">${parts}</p>\n`;
}

function factRow([fact, label]: [string, string]): Html {
  const cell = "padding:6px 0;border-bottom:1px solid #e4e7eb;font-size:15px;line-height:22px;text-align";
  return html`<tr><th scope="row" style="${cell}:start;font-weight:400;color:#5c6370">${label}</th><td style="${cell}:end"><bdi>{{${fact}}}</bdi></td></tr>`;
}

type MailParts = {
  readonly name: MailTemplateName;
  readonly locale: Locale;
  readonly words: MailWords;
  readonly look: MailLook;
};

/**
 * One column that fits a phone and stays readable on a large screen. Styles are inline, because some programs remove
 * everything else; nothing is loaded from anywhere.
 */
function htmlOf({ name, locale, words, look }: MailParts): string {
  const text = words[name];
  const { action } = templateShapes[name];
  const direction = directionOf(locale);
  const rows = factsOf(text).map(factRow);
  const facts =
    rows.length === 0
      ? null
      : html`<table style="width:100%;border-collapse:collapse;margin:0 0 16px">${rows}</table>\n`;
  return html`<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${text.subject}</title>
</head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;color:#1c2128;${font}">
<div dir="${direction}" style="max-width:560px;margin:0 auto;padding:28px;background:#ffffff;border-radius:8px;text-align:start">
<h1 style="margin:0 0 16px;font-size:20px;line-height:28px">${text.title}</h1>
${text.body.map((each) => paragraph(each, "margin:0 0 16px;font-size:15px;line-height:24px", look))}${facts}<p style="margin:0 0 24px"><a href="{{${action}}}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:${look.accent};color:#ffffff;font-size:15px;text-decoration:none">${text.action}</a></p>
${paragraph(words.byHand, small, look)}<p dir="ltr" style="${small};overflow-wrap:anywhere;text-align:${direction === "rtl" ? "right" : "left"}"><a href="{{${action}}}" style="color:${look.accent}">{{${action}}}</a></p>
${text.notes.map((each) => paragraph(each, small, look))}<p style="margin:24px 0 0;padding-top:16px;border-top:1px solid #e4e7eb;font-size:12px;line-height:18px;color:#5c6370">${words.footer}</p>
</div>
</body>
</html>
`.toString();
}
