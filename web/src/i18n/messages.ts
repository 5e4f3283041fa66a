import type { Locale } from "@sluice/contracts/locales";
import { formatTagOf } from "./locale.ts";

/** A count decides which form is used; `{count}` in it is the number as the language writes it. */
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
 * The form that translations of an English file have: the same keys, each a text or the plural forms of the language. A
 * key that is missing or too many does not compile.
 */
export type Translation<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? string
    : English[Key] extends { readonly other: string }
      ? PluralForms
      : Translation<English[Key]>;
};

/** Declares the English texts of an area; their type is what every other language has to be. */
export function english<const Tree extends MessageTree>(tree: Tree): Translation<Tree> {
  return tree as unknown as Translation<Tree>;
}

/** Puts values into the `{places}` of a text. A place without a value stays as it is, where a test finds it. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  );
}

/** The form for a count, with the count and other values in it. */
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
