import { readFileSync } from "node:fs";
import cyrillic from "@fontsource/noto-sans/files/noto-sans-cyrillic-400-normal.woff" with { type: "file" };
import cyrillicExt from "@fontsource/noto-sans/files/noto-sans-cyrillic-ext-400-normal.woff" with { type: "file" };
import devanagari from "@fontsource/noto-sans/files/noto-sans-devanagari-400-normal.woff" with { type: "file" };
import greek from "@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff" with { type: "file" };
import greekExt from "@fontsource/noto-sans/files/noto-sans-greek-ext-400-normal.woff" with { type: "file" };
import latin from "@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff" with { type: "file" };
import latinExt from "@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff" with { type: "file" };
import vietnamese from "@fontsource/noto-sans/files/noto-sans-vietnamese-400-normal.woff" with { type: "file" };
import arabic from "@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff" with { type: "file" };
import japanese from "@fontsource/noto-sans-jp/files/noto-sans-jp-japanese-400-normal.woff" with { type: "file" };
import korean from "@fontsource/noto-sans-kr/files/noto-sans-kr-korean-400-normal.woff" with { type: "file" };
import chinese from "@fontsource/noto-sans-sc/files/noto-sans-sc-chinese-simplified-400-normal.woff" with {
  type: "file",
};
import { create, type Font } from "fontkit";
import { unpackWoff } from "./unpack-woff.ts";

/** Latin, Cyrillic, Greek and Devanagari; each file has one script. */
const sans: readonly string[] = [latin, latinExt, cyrillic, cyrillicExt, greek, greekExt, vietnamese, devanagari];

/** The same character is drawn differently in each of these languages. */
const eastAsian: Readonly<Record<string, readonly string[]>> = {
  ja: [japanese, chinese, korean],
  ko: [korean, chinese, japanese],
};

/** A font file, for which `key` is the name in a document. */
export type LoadedFont = { readonly key: string; readonly bytes: Buffer; readonly font: Font };

const loaded = new Map<string, LoadedFont>();

/** Reads each file once, when a character needs it: those of East Asia are large. */
function load(address: string): LoadedFont {
  const known = loaded.get(address);
  if (known !== undefined) {
    return known;
  }
  const bytes = unpackWoff(readFileSync(address));
  const opened = create(bytes);
  if ("fonts" in opened) {
    throw new Error(`${address} has several fonts`);
  }
  const read = { key: address, bytes, font: opened };
  loaded.set(address, read);
  return read;
}

/** Chooses the font of each character, for texts in a language. */
export class FontChooser {
  readonly #addresses: readonly string[];
  readonly #known = new Map<number, LoadedFont>();

  constructor(locale: string) {
    this.#addresses = [...sans, arabic, ...(eastAsian[locale] ?? [chinese, japanese, korean])];
  }

  /** The font of text without letters. */
  get plain(): LoadedFont {
    return load(sans[0] ?? arabic);
  }

  /** The first font that has the character; for one that none has, the first, which draws an empty box. */
  fontOf(codePoint: number): LoadedFont {
    let font = this.#known.get(codePoint);
    if (font === undefined) {
      const address = this.#addresses.find((each) => load(each).font.hasGlyphForCodePoint(codePoint));
      font = address === undefined ? this.plain : load(address);
      this.#known.set(codePoint, font);
    }
    return font;
  }
}
