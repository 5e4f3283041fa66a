import { describe, expect, test } from "bun:test";
import { join, relative } from "node:path";
import { fill, plural } from "@sluice/web/src/i18n/messages.ts";

const source = join(import.meta.dir, "../../../web/src");
const folders = [
  ...new Set(
    [...new Bun.Glob("**/messages/en.ts").scanSync({ cwd: source })].map((file) => file.slice(0, -"/en.ts".length)),
  ),
].sort();

/** Every text of a tree by its path, plural forms each for itself. */
function textsOf(value: unknown, path = ""): [string, string][] {
  return typeof value === "string"
    ? [[path, value]]
    : Object.entries(value as Record<string, unknown>).flatMap(([key, each]) => textsOf(each, `${path}.${key}`));
}

const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

/** Reads every file of texts in a process of its own: which files there are is found out, not known. */
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

const all = readAll();
const load = (folder: string, locale: string): unknown => all[join(source, folder, `${locale}.ts`)];

describe.each(folders)("%s", (folder) => {
  const locales = [...new Bun.Glob("*.ts").scanSync({ cwd: join(source, folder) })]
    .map((file) => relative(".", file).slice(0, -3))
    .filter((name) => /^[a-z]{2}$/.test(name) && name !== "en");

  test("has the places of the English text in every other language, and no empty text", () => {
    expect(locales.length).toBeGreaterThan(0);
    const english = new Map(textsOf(load(folder, "en")));
    for (const locale of locales) {
      for (const [path, text] of textsOf(load(folder, locale))) {
        const original = english.get(path) ?? english.get(path.replace(/\.\w+$/, ".other")) ?? "";
        expect([locale, path, text.trim() === ""]).toEqual([locale, path, false]);
        // A form for exactly one or two may say the count in a word.
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

describe("texts with places", () => {
  test("take their values as they are, also those that look like places", () => {
    expect(fill("{name} has {count}", { name: "{count} $& $1", count: 3 })).toBe("{count} $& $1 has 3");
  });

  test("show a place that has no value", () => {
    expect(fill("{name}", {})).toBe("{name}");
    expect(fill("{toString}", {})).toBe("{toString}");
  });

  test("take the form that the language has for a count", () => {
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
