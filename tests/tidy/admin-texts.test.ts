import { describe, expect, test } from "bun:test";
import { adminReads } from "@sluice/contracts/admin-reads";
import { adminRights } from "@sluice/contracts/admin-rights";
import { roleNames } from "@sluice/contracts/admin-roles";
import { errorTable } from "@sluice/contracts/errors";
import { callFigures, figureKinds } from "@sluice/contracts/figure-kinds";
import { settingRegistry } from "@sluice/control-plane/admin/settings/registry.ts";
import { settingTitles } from "@sluice/web/src/admin/pages/settings/setting-titles.ts";
import * as values from "@sluice/web/src/admin/values.ts";
import { zh } from "@sluice/web/src/admin/zh/zh.ts";
import { kitTextsEn } from "@sluice/web/src/kit/kit-texts-en.ts";
import { shellTextsEn } from "@sluice/web/src/shell/shell-texts.ts";
import { adminTextsOf } from "./admin-texts.ts";
import { readCode } from "./tree.ts";

const admin = "web/src/admin/";
const modules = readCode().filter(({ path }) => path.startsWith(admin) && !/\/(zh\/[^/]+|translate)\.ts$/.test(path));
const found = modules.map(({ path, text }) => ({ path, ...adminTextsOf(path, text) }));
const said = new Set(found.flatMap((each) => each.said.map(({ text }) => text)));
const chinese: Readonly<Record<string, string>> = zh;
const placesOf = (text: string): string => (text.match(/\{\w+\}/g) ?? []).toSorted().join();
/** Without a Han character, and not only places, names and units: such a text was not translated. */
const sameWords =
  /^(\W|\d|\{\w+\}|DNS|HTML|HTTP|ID|PDF|TLS|Token|USD|token|UTC|Messages|OpenID Connect|Responses|Webhook|Authorization: Bearer)*$/u;

/** The key of a line of a dictionary. */
const keyPattern = /^ {2}(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\w+)):/gm;

/** What only the running program knows: states, and texts of parts that the console shares. */
const words = [
  ...Object.values(values).flat(),
  ...Object.values(roleNames),
  ...Object.values(settingRegistry).flatMap(({ description, unit }) =>
    unit === null ? [description] : [description, unit],
  ),
  ...Object.values(figureKinds).flatMap(([name, , , definition]) => [name, definition]),
  ...Object.values(callFigures).flat(),
  ...[...Object.keys(adminRights), ...adminReads.keys()].flatMap(wordsOfPath),
].map((value) => value.replaceAll("_", " "));

/** What the page of roles calls an operation: its area, and its act there. */
function wordsOfPath(path: string): string[] {
  const parts = path
    .replace(/^\/backend\/(auth\/)?(admin\/)?/, "")
    .split("/")
    .slice(0, -1);
  const [area = "", ...act] = parts.map((part) => part.replaceAll("-", " "));
  return [area, act.join(" ") || area];
}

describe("the admin in Chinese:", () => {
  test("no English text is written past t() and rich()", () => {
    const bare = found.flatMap(({ path, bare: texts }) => texts.map(({ text, line }) => `${path}:${line}: ${text}`));
    // Write t("The text"), or rich("The {text}", ...) around elements, and its Chinese into a file of web/src/admin/zh.
    expect(bare).toEqual([]);
  });

  test("each text, state, error and shared text has Chinese in web/src/admin/zh, with the same places", () => {
    const shared = [...Object.values(kitTextsEn), ...Object.values(shellTextsEn)];
    const errors = Object.values(errorTable).map(({ message }) => message);
    const missing = [...said, ...words, ...shared, ...errors].filter((text) => !Object.hasOwn(chinese, text));
    expect([...new Set(missing)]).toEqual([]);
    const wrong = Object.entries(chinese).filter(
      ([text, own]) => placesOf(text) !== placesOf(own) || (!/\p{Script=Han}/u.test(own) && !sameWords.test(own)),
    );
    expect(wrong).toEqual([]);
  });

  test("each setting has a title", () => {
    expect(Object.keys(settingTitles).toSorted()).toEqual(Object.keys(settingRegistry).toSorted());
  });

  test("no Chinese is left of a text that nobody says any more, and none is there twice", () => {
    const folder = readCode().filter(({ path }) => path.startsWith(`${admin}zh/`) && !path.endsWith("/zh.ts"));
    const all: string[] = [];
    const unsaid: string[] = [];
    for (const { path, text: source } of folder) {
      const texts = [...source.matchAll(keyPattern)].map(([, double, single, word]) =>
        double === undefined ? (single ?? word ?? "") : (JSON.parse(`"${double}"`) as string),
      );
      all.push(...texts);
      // Errors and states are not in the pages, and are not all listed anywhere.
      const isListed = !/\/(errors|frame|words)\.ts$/.test(path);
      unsaid.push(...texts.filter((text) => isListed && !said.has(text) && !words.includes(text)));
    }
    expect(unsaid).toEqual([]);
    expect(all.toSorted()).toEqual(Object.keys(zh).toSorted());
  });
});
