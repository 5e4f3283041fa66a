/** Prints the titles and leads of the console's pages for the build, by area and language: JSON on its standard output. */
import type { HeadTexts } from "../src/shell/head-texts.ts";

type TextFile = { readonly messages: Partial<HeadTexts> };

const files = import.meta.glob<TextFile>("../src/console/pages/*/messages/??.ts", { eager: true });
const heads = Object.entries(files).map(([path, { messages }]) => {
  const [, area, locale] = /\/(\w+)\/messages\/(\w\w)\.ts$/.exec(path) ?? [];
  const { title, text } = messages;
  return { area, locale, title, text };
});
process.stdout.write(JSON.stringify(heads));
