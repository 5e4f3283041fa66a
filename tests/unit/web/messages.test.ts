import { describe, expect, test } from "bun:test";
import { join, relative } from "node:path";
import { errorTable } from "@sluice/contracts/errors";
import { allLocales, type Locale } from "@sluice/contracts/locales";
import { statementWords } from "@sluice/control-plane/payments/orders/statement-words.ts";
import { doesNotExist } from "@sluice/control-plane/platform/errors.ts";
import { sentenceIn } from "@sluice/web/src/console/errors/known-sentences.ts";
import type { ErrorMessages } from "@sluice/web/src/console/errors/messages/en.ts";
import { pageNames } from "@sluice/web/src/console/page-names.ts";
import type { BillingMessages } from "@sluice/web/src/console/pages/billing/messages/en.ts";
import { fill, plural } from "@sluice/web/src/i18n/messages.ts";
import { z } from "zod";

const source = join(import.meta.dir, "../../../web/src");
const folders = [
  ...new Set(
    [...new Bun.Glob("**/messages/en.ts").scanSync({ cwd: source })].map((file) => file.slice(0, -"/en.ts".length)),
  ),
].sort();

/** Every text of a tree by its path, each plural form separately. */
function textsOf(value: unknown, path = ""): [string, string][] {
  return typeof value === "string"
    ? [[path, value]]
    : Object.entries(value as Record<string, unknown>).flatMap(([key, each]) => textsOf(each, `${path}.${key}`));
}

const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

/** Reads every file of texts in a separate process, from the files that exist. */
const reader = `
const texts = {};
for (const file of await Bun.stdin.json()) {
  const { messages, ...rest } = await import(file);
  texts[file] = messages ?? Object.values(rest)[0];
}
console.log(JSON.stringify(texts));`;

function readAll(): Readonly<Record<string, unknown>> {
  const files = folders.flatMap((folder) =>
    [...new Bun.Glob("??.ts").scanSync({ cwd: join(source, folder) })].map((file) => join(source, folder, file)),
  );
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", reader], {
    stdin: Buffer.from(JSON.stringify(files)),
  });
  expect(stderr.toString()).toBe("");
  return JSON.parse(stdout.toString()) as Record<string, unknown>;
}

/** Without a letter of any language: places, units, names of formats. */
const sameEverywhere = /^(CSV|(\W|\d|\{\w+\}|ms)*)$/u;
/** Texts of the console that are the same as in English; any other such text was not translated. */
const sameWords: Readonly<Record<string, readonly string[]>> = {
  es: ["Plan", "Tokens", "Tokens/s", "{count} tokens", "no", "Error", "audio", "Webhooks", "Total", "{count} bytes"],
  fr: [
    ...[
      "Action",
      "Code",
      "Console",
      "Conversation",
      "E-mail",
      "Instructions",
      "Invitation",
      "Menu",
      "Organisations",
      "Notifications",
      "Page",
      "Secret",
      "Sessions",
    ],
    ...[
      "15 minutes",
      "Tokens",
      "Tokens/s",
      "Type",
      "active",
      "audio",
      "image",
      "{count} tokens",
      "Webhooks",
      "Message",
      "Total",
    ],
  ],
  de: [
    ...[
      "Budget in USD",
      "Code",
      "Limit",
      "Limits",
      "Name",
      "Playground",
      "Status",
      "Tokens",
      "Tokens/s",
      "Upstreams",
      "Webhooks",
    ],
    ...["Wallet: {vendor}", "optional", "Tag", "Tags", "Passkey", "Passkeys"],
  ],
  pt: [
    "Console",
    "E-mail",
    "Menu",
    "Status",
    "Tokens",
    "Tokens/s",
    "{count} tokens",
    "Webhooks",
    "Total",
    "{count} bytes",
  ],
};

const all = readAll();
const translated = allLocales.filter((locale) => locale !== "en");
const load = (folder: string, locale: string): unknown => all[join(source, folder, `${locale}.ts`)];

describe.each(folders)("%s", (folder) => {
  const locales = [...new Bun.Glob("*.ts").scanSync({ cwd: join(source, folder) })]
    .map((file) => relative(".", file).slice(0, -3))
    .filter((name) => /^[a-z]{2}$/.test(name) && name !== "en");

  test("has the placeholders of the English text in every other language, and no empty text", () => {
    expect(locales.toSorted()).toEqual(translated.toSorted());
    const english = new Map(textsOf(load(folder, "en")));
    for (const locale of locales) {
      for (const [path, text] of textsOf(load(folder, locale))) {
        const original = english.get(path) ?? english.get(path.replace(/\.\w+$/, ".other")) ?? "";
        expect([locale, path, text.trim() === ""]).toEqual([locale, path, false]);
        // A form for exactly one or two may spell the count out.
        const wanted = /\.(zero|one|two)$/.test(path)
          ? places(original).filter((place) => place !== "{count}")
          : places(original);
        const found = /\.(zero|one|two)$/.test(path)
          ? places(text).filter((place) => place !== "{count}")
          : places(text);
        expect([locale, path, found]).toEqual([locale, path, wanted]);
      }
    }
  });
});

describe("the texts of the console", () => {
  const areas = folders.filter((folder) => folder.startsWith("console/"));

  test.each(translated)("are in %s, but for words that are the same there", (locale) => {
    const same = areas.flatMap((folder) => {
      const english = new Map(textsOf(load(folder, "en")));
      return textsOf(load(folder, locale)).flatMap(([path, text]) => (english.get(path) === text ? [text] : []));
    });
    const known = sameWords[locale] ?? [];
    expect(same.filter((text) => !sameEverywhere.test(text) && !known.includes(text))).toEqual([]);
  });

  test.each(translated)("call pages in %s by the names that the docs use in links", (locale) => {
    const names: Readonly<Record<string, Readonly<Record<Locale, string>>>> = pageNames;
    const keys = load("console/pages/keys/messages", locale) as { readonly list: string };
    const docs = textsOf(load("site/docs/messages", locale)).map(([, text]) => text);
    const links = [...docs.join(" ").matchAll(/\[([^\]]+)\]\(\/console\/(\w+)\/\)/g)];
    expect(links.length).toBeGreaterThan(5);
    const wrong = links.filter(
      ([, name = "", page = ""]) => ![names[page]?.[locale], page === "keys" ? keys.list : ""].includes(name),
    );
    expect(wrong.map(([link]) => link)).toEqual([]);
  });
});

test("a printed statement says what the console says", () => {
  for (const locale of allLocales) {
    const shown = all[join(source, `console/pages/billing/messages/${locale}.ts`)] as BillingMessages;
    const { changeNames, opening, closing, change, reference, after } = shown;
    expect(statementWords[locale]).toMatchObject({ changes: changeNames, opening, closing, change, reference, after });
  }
});

describe("a refusal of the backend", () => {
  const english = load("console/errors/messages", "en") as ErrorMessages;
  const german = load("console/errors/messages", "de") as ErrorMessages;

  test("is known to the console word for word", async () => {
    const sources = await Promise.all(
      ["control-plane/src", "packages/contracts/src", "web/src/api"].flatMap((folder) =>
        [...new Bun.Glob("**/*.ts").scanSync({ cwd: join(source, "../..", folder) })].map((file) =>
          Bun.file(join(source, "../..", folder, file)).text(),
        ),
      ),
    );
    const ofSchemas = [z.string().min(2).safeParse("a"), z.string().max(2).safeParse("abc")].map(
      ({ error }) => error?.issues[0]?.message.replace("2", "{}") ?? "",
    );
    const missing = [...sources.join("\n").matchAll(/\b(?:notFound|doesNotExist)\("([^"]+)"/g)];
    const ofMissing = missing.map(([, thing = ""]) => doesNotExist(thing));
    const said = [...sources, ...ofSchemas, ...ofMissing].join("\n").replace(/\$\{[^}]+\}/g, "{}");
    const unknown = Object.values(english.sentences).filter((text) => !said.includes(text.replace(/\{\w+\}/g, "{}")));
    expect(unknown).toEqual([]);
    const definitions: Readonly<Record<string, { readonly message: string }>> = errorTable;
    const others = Object.entries(english.codes).filter(([code, text]) => definitions[code]?.message !== text);
    expect(others).toEqual([]);
  });

  test("is shown in another language with the names in it, and stays as it is if unknown", () => {
    expect(sentenceIn(german, "The model a{b} c does not exist.")).toBe("Das Modell a{b} c gibt es nicht.");
    expect(sentenceIn(german, errorTable.too_many_keys.message)).toBe(german.codes.too_many_keys);
    expect(sentenceIn(german, "The password must have 8 to 256 characters.")).toBe(
      "Das Passwort braucht 8 bis 256 Zeichen.",
    );
    expect(sentenceIn(german, "Something new.")).toBe("Something new.");
    for (const sentence of [...Object.values(english.codes), ...Object.values(english.sentences)]) {
      expect(sentenceIn(english, sentence)).toBe(sentence);
    }
  });
});

describe("texts with placeholders", () => {
  test("take their values as they are, even those that look like placeholders", () => {
    expect(fill("{name} has {count}", { name: "{count} $& $1", count: 3 })).toBe("{count} $& $1 has 3");
  });

  test("show a placeholder without a value", () => {
    expect(fill("{name}", {})).toBe("{name}");
    expect(fill("{toString}", {})).toBe("{toString}");
  });

  test("take the language's plural form for a count", () => {
    const arabic = { zero: "لا مفاتيح", one: "مفتاح", two: "مفتاحان", few: "{count} مفاتيح", other: "{count} مفتاحًا" };
    expect([0, 1, 2, 5, 11].map((count) => plural("ar", arabic, count))).toEqual([
      "لا مفاتيح",
      "مفتاح",
      "مفتاحان",
      "5 مفاتيح",
      "11 مفتاحًا",
    ]);
    expect(plural("ru", { one: "{count} ключ", few: "{count} ключа", other: "{count} ключей" }, 22)).toBe("22 ключа");
    expect(plural("en", { one: "{count} key", other: "{count} keys" }, 1_500)).toBe("1,500 keys");
  });
});
