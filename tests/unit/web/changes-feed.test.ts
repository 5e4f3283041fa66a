import { expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { escapeXml } from "@sluice/web/prerender/site-files.ts";
import { formatsOf } from "@sluice/web/src/i18n/format.ts";
import { changes } from "@sluice/web/src/site/docs/changelog/changes.ts";
import { changesFeed } from "@sluice/web/src/site/docs/changelog/changes-feed.ts";
import { changelogTexts } from "@sluice/web/src/site/docs/changelog/messages/messages.ts";
import { localizedPath } from "@sluice/web/src/site/locales.ts";
import type { PageContext } from "@sluice/web/src/site/model.ts";

const contextIn = (locale: (typeof allLocales)[number]) =>
  ({
    locale,
    catalogue: { origin: "https://gateway.example" },
    formats: formatsOf(locale, "UTC"),
    link: (path: string) => localizedPath(path, locale),
    formLink: (path: string) => path,
  }) as unknown as PageContext;

test.each(allLocales)("the feed of changes in %s has each change once, with whole addresses", (locale) => {
  const feed = changesFeed(contextIn(locale), escapeXml);
  expect(feed.match(/<entry>/g)?.length).toBe(changes.length);
  const page = `https://gateway.example${localizedPath("/docs/changelog/", locale)}`;
  for (const { id, on } of changes) {
    expect(feed).toContain(`<id>${page}#${id}</id>`);
    expect(feed).toContain(`<link href="${page}#day-${on}"/>`);
  }
  // Inside an entry, addresses are part of escaped markup.
  expect(feed).toContain(escapeXml(`<a href="https://gateway.example${localizedPath("/docs/errors/", locale)}">`));
  expect(feed.replaceAll(/&#\d+;/g, "")).not.toContain("&");
});

test("each language says the same of a change: the same code and the same links", () => {
  const parts = (text: string) => (text.match(/`[^`]+`|\]\([^)]+\)/g) ?? []).toSorted();
  for (const locale of allLocales) {
    for (const { id } of changes) {
      expect([locale, id, parts(changelogTexts[locale].change[id])]).toEqual([
        locale,
        id,
        parts(changelogTexts.en.change[id]),
      ]);
    }
  }
});

test("changes are listed from the newest to the oldest", () => {
  const days = changes.map(({ on }) => on);
  expect(days.toSorted().toReversed()).toEqual(days);
});
