import { zh } from "@sluice/web/src/admin/zh/zh.ts";
import type { ShownPage } from "./pages.ts";

const texts: Readonly<Record<string, string>> = zh;

/** Texts with places in them, such as `Edit limits of this {kind}`, those with the most words first. */
const patterns = Object.entries(texts)
  .filter(([text]) => /^[^{]+\{\w+\}/.test(text))
  .map(([text, own]) => {
    const source = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");
    return { pattern: new RegExp(`^${source}$`, "u"), own, length: text.replace(/\{\w+\}/g, "").length };
  })
  .toSorted((one, other) => other.length - one.length);

/** The Chinese of a text of the admin, also of a text that is continued with a name, such as `Log` in `Log On call`. */
function inChinese(name: string): string {
  for (const { pattern, own } of [{ pattern: /^.+$/, own: texts[name] }, ...patterns]) {
    const places = pattern.exec(name);
    if (places !== null && own !== undefined) {
      return own.replace(/\{(\w+)\}/g, (_, place: string) => inChinese(places.groups?.[place] ?? ""));
    }
  }
  const [, start = "", rest = ""] = /^(\S+) (.+)$/.exec(name) ?? [];
  return texts[start] === undefined ? name : `${texts[start]} ${rest}`;
}

/** The names of controls in the language of a page: those of the admin are the English ones, translated. */
export function namesIn(shown: ShownPage, locale: string | undefined): ShownPage {
  if (shown.as !== "admin" || locale !== "zh") {
    return shown;
  }
  const selector = (css: string): string =>
    css.replace(/aria-label='([^']+)'/g, (_, name: string) => `aria-label='${inChinese(name)}'`);
  return {
    ...shown,
    ready: selector(shown.ready),
    press: (shown.press ?? []).map(inChinese),
    fill: Object.fromEntries(Object.entries(shown.fill ?? {}).map(([label, value]) => [inChinese(label), value])),
    ...(shown.check === undefined ? {} : { check: inChinese(shown.check) }),
    ...(shown.waitFor === undefined ? {} : { waitFor: selector(shown.waitFor) }),
  };
}
