import type { MailTemplateName } from "../model.ts";
import type { TemplateSource } from "./layout.ts";
import { fillPlaceholders, placeholdersIn } from "./placeholders.ts";
import { isLinkName, sharedNames, templateShapes } from "./shape.ts";

/**
 * Mail programs remove or block these things; a page that shows the email would execute them; and external content
 * reveals to its owner who reads the email, and when.
 */
const forbiddenHtml =
  /<\s*(script|iframe|object|embed|form|input|link|base|img|svg|video|audio|picture|source)\b|\bon[a-z]+\s*=|javascript:|["'(]\s*data:|\bsrc(set)?\s*=|url\s*\(|@import|http-equiv|\bping\s*=/i;

/** Matches tags that every parser reads alike: no parser takes them for text, or text for a tag. */
const tag =
  /<!doctype html>|<!--[^<>{}]*-->|<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+))?)*\s*\/?>/gi;
const ownHref = /\shref\s*=\s*(?:"\{\{\s*[a-z_]+\s*\}\}"|'\{\{\s*[a-z_]+\s*\}\}')/gi;
/** If one of these characters precedes a link within a word, the link is the end of another address. */
const ofAddress = /[./@?#=&%／]/;

/** The problems of a template, by its part; empty when the template can be sent. */
export function checkTemplate(name: MailTemplateName, source: TemplateSource): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const part of ["subject", "html", "text"] as const) {
    const problem = problemOf(name, part, source[part]);
    if (problem !== null) {
      problems[part] = problem;
    }
  }
  return problems;
}

function problemOf(name: MailTemplateName, part: keyof TemplateSource, text: string): string | null {
  const { names, required } = templateShapes[name];
  const known = [...sharedNames, ...names].filter((each) => part !== "subject" || !isLinkName(each));
  const used = placeholdersIn(text);
  const unknown = used.find((each) => !known.includes(each));
  if (unknown !== undefined) {
    return `{{${unknown}}} is not available here. Available are: ${known.join(", ")}.`;
  }
  const missing = part === "subject" ? undefined : required.find((each) => !used.includes(each));
  if (missing !== undefined) {
    return `{{${missing}}} is missing.`;
  }
  if (/\{\{|\}\}/.test(text.replace(/\{\{\s*[a-z_]+\s*\}\}/g, ""))) {
    return "A pair of double braces contains no name.";
  }
  if (part === "html" && forbiddenHtml.test(text)) {
    return "Scripts, forms, pictures and external content are not allowed in mails.";
  }
  return part === "html" ? linkProblemOfHtml(text) : linkProblemOfText(text);
}

/**
 * Anyone who has the link gets in. As a part of another URL, the link would leak to the owner of that URL, so it has to
 * be the whole `href`, or a separate word of the text.
 */
function linkProblemOfHtml(html: string): string | null {
  if (html.replace(tag, "").includes("<")) {
    return "A < starts no simple tag. In text, write &lt;; put attribute values in quotes.";
  }
  const inTag = (html.match(tag) ?? []).flatMap((each) => placeholdersIn(each.replace(ownHref, "")));
  const name = inTag.find(isLinkName);
  return name === undefined
    ? linkProblemOfText(html.replace(tag, ""))
    : `{{${name}}} must be text, or the whole of a href.`;
}

function linkProblemOfText(text: string): string | null {
  const words = fillPlaceholders(text, (name) => `{{${name}}}`).split(/\s+/);
  for (const word of words) {
    const name = placeholdersIn(word).findLast(isLinkName);
    if (name !== undefined && ofAddress.test(word.slice(0, word.lastIndexOf(`{{${name}}}`)))) {
      return `{{${name}}} can't be appended to another address.`;
    }
  }
  return null;
}
