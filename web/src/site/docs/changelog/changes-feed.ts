import type { PageContext } from "../../model.ts";
import { localized } from "../doc-link.ts";
import { parseInline } from "../inline.ts";
import { changes, changesFeedPath } from "./changes.ts";
import { changelogTexts } from "./messages/messages.ts";

const pagePath = "/docs/changelog/";

/**
 * The changes as an Atom feed in one language.
 * @param escapeText makes a text safe for XML
 */
export function changesFeed(context: PageContext, escapeText: (text: string) => string): string {
  const { locale, link, catalogue } = context;
  const texts = changelogTexts[locale];
  const page = catalogue.origin + link(pagePath);
  const momentOf = (day: string): string => `${day}T00:00:00Z`;
  const entries = changes.map(({ id, on }) => {
    const plain = parseInline(texts.change[id])
      .map((piece) => piece.text)
      .join("");
    const html = parseInline(texts.change[id])
      .map((piece) => {
        const text = escapeText(piece.text);
        if (piece.kind === "link") {
          const address = new URL(localized(context, piece.href), catalogue.origin).href;
          return `<a href="${escapeText(address)}">${text}</a>`;
        }
        return piece.kind === "code" ? `<code>${text}</code>` : text;
      })
      .join("");
    return [
      "<entry>",
      `<id>${escapeText(`${page}#${id}`)}</id>`,
      `<title>${escapeText(plain)}</title>`,
      `<updated>${momentOf(on)}</updated>`,
      `<link href="${escapeText(`${page}#day-${on}`)}"/>`,
      `<content type="html">${escapeText(html)}</content>`,
      "</entry>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${locale}">`,
    `<id>${escapeText(page)}</id>`,
    `<title>${escapeText(`{brand}: ${texts.title}`)}</title>`,
    "<author><name>{brand}</name></author>",
    `<updated>${momentOf(changes[0].on)}</updated>`,
    `<link href="${escapeText(page)}"/>`,
    `<link rel="self" href="${escapeText(catalogue.origin + link(changesFeedPath))}"/>`,
    ...entries,
    "</feed>",
    "",
  ].join("\n");
}
