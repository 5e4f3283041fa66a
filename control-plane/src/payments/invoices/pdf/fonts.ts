import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { create, type Font } from "fontkit";
import { unpackWoff } from "./unpack-woff.ts";

const addressOf = (name: string): string => import.meta.resolve(`@fontsource/${name}-400-normal.woff`);

/** Latin, Cyrillic, Greek and Devanagari; each file has one script. */
const sans = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "greek-ext", "vietnamese", "devanagari"].map(
  (script) => addressOf(`noto-sans/files/noto-sans-${script}`),
);
const arabic = addressOf("noto-sans-arabic/files/noto-sans-arabic-arabic");
const chinese = addressOf("noto-sans-sc/files/noto-sans-sc-chinese-simplified");
const japanese = addressOf("noto-sans-jp/files/noto-sans-jp-japanese");
const korean = addressOf("noto-sans-kr/files/noto-sans-kr-korean");

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
  const bytes = unpackWoff(readFileSync(fileURLToPath(address)));
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
