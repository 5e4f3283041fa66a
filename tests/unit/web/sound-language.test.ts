import { expect, test } from "bun:test";
import { soundLanguage } from "@sluice/web/src/i18n/sound-language.ts";

test("the language of a browser is a valid tag, whatever the browser says", () => {
  const said = ["de-AT", "en-US@posix", "de_DE.UTF-8@euro", "zh-Hans-CN", "C", "", "x", "pt_BR", "@", "en-", "日本"];
  expect(said.map(soundLanguage)).toEqual([
    "de-AT",
    "en-US",
    "de-DE",
    "zh-Hans-CN",
    "en",
    "en",
    "en",
    "pt-BR",
    "en",
    "en",
    "en",
  ]);
  for (const text of said) {
    expect(() => new Intl.NumberFormat(soundLanguage(text))).not.toThrow();
  }
});
