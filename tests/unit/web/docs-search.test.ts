import { describe, expect, test } from "bun:test";
import { type SearchPage, searchDocs } from "@sluice/web/src/site/docs/search-index.ts";
import { searchPageOf } from "@sluice/web/src/site/docs/search-text.ts";

const pages: readonly SearchPage[] = [
  {
    path: "/docs/errors/",
    title: "Errors",
    sections: [
      { id: "key", title: "Key and model", text: "The key is missing. invalid_api_key 401" },
      { id: "balance", title: "Balance and limits", text: `${"Words before it. ".repeat(20)}Top up your balance.` },
    ],
  },
  { path: "/docs/limits/", title: "Limits", sections: [{ id: "size", title: "Size", text: "Up to 32 MiB; keys." }] },
  { path: "/fr/docs/x/", title: "Erreurs", sections: [{ id: "cle", title: "Clé refusée", text: "La clé a expiré." }] },
  { path: "/zh/docs/x/", title: "错误", sections: [{ id: "a", title: "余额与限制", text: "在账单中充值。" }] },
];
const hrefs = (query: string): string[] => searchDocs(pages, query).map(({ href }) => href);

describe("a search of the docs", () => {
  test("finds sections that have every word, those with it in the title first", () => {
    expect(hrefs("key")).toEqual(["/docs/errors/#key", "/docs/limits/#size"]);
    expect(hrefs("KEY  missing")).toEqual(["/docs/errors/#key"]);
    expect(hrefs("limits size")).toEqual(["/docs/limits/#size"]);
    expect(hrefs("key nowhere")).toEqual([]);
  });

  test("finds error codes, words without their accents, and words of languages without spaces", () => {
    expect(hrefs("invalid_api")).toEqual(["/docs/errors/#key"]);
    expect(hrefs("cle expire")).toEqual(["/fr/docs/x/#cle"]);
    expect(hrefs("充值")).toEqual(["/zh/docs/x/#a"]);
  });

  test("shows the text around what was found", () => {
    const [hit] = searchDocs(pages, "top up");
    expect(hit?.excerpt).toStartWith("…");
    expect(hit?.excerpt).toEndWith("Top up your balance.");
  });

  test("finds nothing for nothing, and reads no more than a search can be", () => {
    expect(hrefs("  ")).toEqual([]);
    expect(hrefs(`${"key ".repeat(25)}nowhere`)).toEqual(["/docs/errors/#key", "/docs/limits/#size"]);
  });
});

test("a page is searched by its texts without marks, and not by its code", () => {
  const page = searchPageOf("/docs/x/", {
    title: "Title",
    lead: "See [prices](/pricing/).",
    sections: [
      {
        id: "one",
        title: "One",
        blocks: [
          { kind: "text", text: "Send `max_tokens`." },
          { kind: "code", name: "x", text: "secret_code" },
          {
            kind: "error",
            codes: [{ code: "invalid_json", status: 400 }],
            meaning: "Not JSON.",
            facts: [["What to do", "Fix it."]],
          },
        ],
      },
    ],
  });
  expect(page).toEqual({
    path: "/docs/x/",
    title: "Title",
    sections: [
      { id: "one", title: "One", text: "See prices. Send max_tokens." },
      { id: "invalid_json", title: "invalid_json", text: "400 Not JSON. Fix it." },
    ],
  });
});
