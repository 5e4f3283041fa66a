import type { Locale } from "@sluice/contracts/locales";
import { formatTagOf } from "./locale.ts";

/** The forms of a text by plural category; `{count}` in them is the formatted number. */
export type PluralForms = {
  readonly other: string;
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
};

type MessageTree = { readonly [key: string]: string | PluralForms | MessageTree };

/**
 * The type of translations of an English file: the same keys, each a text or the language's plural forms. A missing or
 * extra key does not compile.
 */
export type Translation<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? string
    : English[Key] extends { readonly other: string }
      ? PluralForms
      : Translation<English[Key]>;
};

/** Declares the English texts of an area; their type is required of every other language. */
export function english<const Tree extends MessageTree>(tree: Tree): Translation<Tree> {
  return tree as unknown as Translation<Tree>;
}

/** Puts values into the `{placeholders}` of a text. A placeholder without a value stays, where a test finds it. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  );
}

/** The form for a count, with the count and other values filled in. */
export function plural(
  locale: Locale,
  forms: PluralForms,
  count: number,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const category = new Intl.PluralRules(formatTagOf(locale)).select(count);
  const number = new Intl.NumberFormat(formatTagOf(locale)).format(count);
  return fill(forms[category] ?? forms.other, { count: number, ...values });
}
