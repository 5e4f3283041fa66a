import type { AdminLocale } from "@sluice/contracts/locales";
import type { JSX } from "solid-js";
import { fill } from "../i18n/messages.ts";
import type { zh } from "./zh/zh.ts";

/** A text of the admin: the English one is its own key, and `zh/` has the Chinese one. */
export type AdminText = keyof typeof zh;

/** The names of the `{places}` in a text. */
type PlaceIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceIn<Rest> : never;

type ValuesOf<Text extends string, Value> = [PlaceIn<Text>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceIn<Text>, Value>>];

/** What a place may hold; nothing leaves it empty. */
type Shown = string | number | null | undefined;
type Values = Readonly<Record<string, Shown>>;

/** The language of the document, which the server writes into it: the one that the admin chose, or the browser's. */
export const adminLocale: AdminLocale = languageOfPage() === "zh" ? "zh" : "en";

/**
 * Awaited here, so that no module that has texts runs before they are in its language, constants included. The
 * dictionary imports nothing: an import of a module that waits for it would never end.
 */
const chinese = adminLocale === "zh" ? await import("./zh/zh.ts") : null;
const dictionary: Readonly<Record<string, string>> = chinese?.zh ?? {};

/** A text in the language of the admin: `t("Save {name}", { name })`. */
export function t<Text extends AdminText>(text: Text, ...[values]: ValuesOf<Text, Shown>): string {
  return values === undefined
    ? known(text)
    : known(text).replace(/\{(\w+)\}/g, (_, place: string) => String((values as Values)[place] ?? ""));
}

/** A text around elements: `rich("Continue with {name}", { name: <b>{name()}</b> })`. */
export function rich<Text extends AdminText>(text: Text, values: ValuesOf<Text, JSX.Element>[0]): JSX.Element {
  const elements = new Map<string, JSX.Element>(Object.entries(values ?? {}));
  return known(text)
    .split(/\{(\w+)\}/)
    .map((piece, at) => (at % 2 === 0 ? piece : elements.get(piece)));
}

/** Sentences of the service with places in them, whatever is there. */
const patterns = Object.entries(chinese?.sentences ?? {})
  .filter(([sentence]) => /\{\w+\}/.test(sentence))
  .map(([sentence, own]) => {
    const source = sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");
    return { pattern: new RegExp(`^${source}$`, "u"), own };
  });

/** A sentence that the service says, with the names and numbers in it; one that `zh/errors.ts` lacks stays as it is. */
export function said(sentence: string): string {
  for (const { pattern, own } of patterns) {
    const places = pattern.exec(sentence)?.groups;
    if (places !== undefined) {
      return fill(own, places);
    }
  }
  return known(sentence);
}

/** Tests of single modules have no page. */
function languageOfPage(): string | undefined {
  const { document: page } = globalThis as {
    readonly document?: { readonly documentElement: { readonly lang: string } };
  };
  return page?.documentElement.lang;
}

/** A text that only the running program knows, such as a state or what the service said: itself, if `zh/` lacks it. */
export function known(text: string): string {
  return Object.hasOwn(dictionary, text) ? (dictionary[text] ?? text) : text;
}
