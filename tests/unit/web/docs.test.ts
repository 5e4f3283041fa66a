import { describe, expect, test } from "bun:test";
import { allLocales, type Locale } from "@sluice/contracts/locales";
import { apiTexts } from "@sluice/web/src/site/docs/api/messages/messages.ts";
import { errorPageTexts } from "@sluice/web/src/site/docs/errors/messages/messages.ts";
import { guideTexts } from "@sluice/web/src/site/docs/guides/messages/messages.ts";
import { parseInline } from "@sluice/web/src/site/docs/inline.ts";
import { docMarkdown, markdownPath } from "@sluice/web/src/site/docs/markdown.ts";
import { docTexts } from "@sluice/web/src/site/docs/messages/messages.ts";

/** All texts of the docs in a language. */
const textsIn = (locale: Locale): object => ({
  docs: docTexts[locale],
  api: apiTexts[locale],
  errors: errorPageTexts[locale],
  guides: guideTexts[locale],
});

function textsOf(value: unknown, path = ""): [string, string][] {
  return typeof value === "string"
    ? [[path, value]]
    : Object.entries(value as object).flatMap(([key, each]) => textsOf(each, `${path}.${key}`));
}

/** What no language translates: code, and where links lead. */
function fixedParts(text: string): string[] {
  return parseInline(text)
    .flatMap((piece) => (piece.kind === "code" ? [piece.text] : piece.kind === "link" ? [piece.href] : []))
    .sort();
}

describe.each(allLocales.filter((locale) => locale !== "en"))("the docs in %s", (locale) => {
  const translated = new Map(textsOf(textsIn(locale)));

  test("have the code and the links of the English text", () => {
    for (const [path, english] of textsOf(textsIn("en"))) {
      expect([path, ...fixedParts(translated.get(path) ?? "")]).toEqual([path, ...fixedParts(english)]);
    }
  });

  test("leave no mark open", () => {
    const open = [...translated.values()].filter((text) =>
      parseInline(text).some((piece) => piece.kind === "plain" && /[`\]]/.test(piece.text)),
    );
    expect(open).toEqual([]);
  });
});

test("a sentence is split into text, code and links", () => {
  expect(parseInline("Run `a [b](c)` or [read](/docs/) it.")).toEqual([
    { kind: "plain", text: "Run " },
    { kind: "code", text: "a [b](c)" },
    { kind: "plain", text: " or " },
    { kind: "link", text: "read", href: "/docs/" },
    { kind: "plain", text: " it." },
  ]);
});

test("a page is rendered as Markdown with full URLs, and a table keeps its columns", () => {
  const markdown = docMarkdown({
    content: {
      title: "Title",
      lead: "See [prices](/pricing/).",
      sections: [
        {
          id: "one",
          title: "One",
          blocks: [
            { kind: "steps", items: ["First", "Second"] },
            { kind: "snippet", name: "environment" },
            { kind: "table", label: "Table", head: ["A", "B"], rows: [["x | y", "z"]] },
          ],
        },
      ],
    },
    snippet: (name) => `text of ${name}`,
    address: (path) => `https://sluice.example${path}`,
  });
  expect(markdown).toBe(
    [
      "# Title",
      "",
      "See [prices](https://sluice.example/pricing/).",
      "",
      "## One",
      "",
      "1. First",
      "2. Second",
      "",
      "```",
      "text of environment",
      "```",
      "",
      "| A | B |",
      "| --- | --- |",
      "| x \\| y | z |",
      "",
    ].join("\n"),
  );
  expect(markdownPath("/docs/billing/")).toBe("/docs/billing.md");
});
