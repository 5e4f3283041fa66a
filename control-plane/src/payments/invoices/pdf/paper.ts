import PDFDocument from "pdfkit";
import { FontChooser } from "./fonts.ts";
import { runsOf, type TextRun } from "./text-runs.ts";

const a4 = { width: 595.28, height: 841.89 };
export const margin = 56;
export const printedWidth = a4.width - 2 * margin;
const bottom = a4.height - margin;
const lineHeight = 1.45;

/** A column: where it begins, counted from the side where lines begin, and its width. */
export type Column = { readonly from: number; readonly width: number };
export const wholeWidth: Column = { from: 0, width: printedWidth };

export type TextStyle = {
  readonly size?: number;
  readonly colour?: string;
  /** At the end of the column instead of its beginning. */
  readonly isAtEnd?: boolean;
};

export type PaperOptions = {
  readonly locale: string;
  readonly isRtl: boolean;
  readonly title: string;
  readonly author: string;
  /** The time that the file names as that of its creation, so that it is the same file each time. */
  readonly at: Date;
};

/** A document of lines of text in any of the languages. Columns are mirrored for a language that is read from the right. */
export class Paper {
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts: FontChooser;
  readonly #isRtl: boolean;
  readonly #chunks: Uint8Array[] = [];
  readonly #done: Promise<void>;
  #y = margin;

  constructor({ locale, isRtl, title, author, at }: PaperOptions) {
    this.#fonts = new FontChooser(locale);
    this.#isRtl = isRtl;
    const { key, bytes } = this.#fonts.plain;
    this.#document = new PDFDocument({
      size: "A4",
      margin: 0,
      lang: locale,
      font: bytes as unknown as string,
      info: { Title: title, Author: author, CreationDate: at, ModDate: at },
    });
    this.#document.registerFont(key, bytes);
    this.#document.on("data", (chunk: Uint8Array) => this.#chunks.push(chunk));
    this.#done = new Promise((resolve) => this.#document.on("end", resolve));
  }

  get y(): number {
    return this.#y;
  }

  moveTo(y: number): void {
    this.#y = y;
  }

  space(points: number): void {
    this.#y += points;
  }

  /** Writes text into a column, as many lines as it takes; the next text comes below. */
  write(text: string, column: Column = wholeWidth, style: TextStyle = {}): void {
    const { size = 10 } = style;
    for (const line of text.split("\n").flatMap((each) => this.#wrap(each, column.width, size))) {
      if (this.#y + size * lineHeight > bottom) {
        this.#document.addPage();
        this.#y = margin;
      }
      this.#draw(line, column, { ...style, size });
      this.#y += size * lineHeight;
    }
  }

  rule(column: Column = wholeWidth): void {
    const x = this.#left(column);
    this.#document
      .moveTo(x, this.#y)
      .lineTo(x + column.width, this.#y)
      .lineWidth(0.5)
      .stroke("#b8b8b8");
    this.#y += 8;
  }

  async bytes(): Promise<Uint8Array> {
    this.#document.end();
    await this.#done;
    return new Uint8Array(Buffer.concat(this.#chunks));
  }

  #left({ from, width }: Column): number {
    return this.#isRtl ? a4.width - margin - from - width : margin + from;
  }

  #draw(line: string, column: Column, { size = 10, colour = "#1c1c1c", isAtEnd = false }: TextStyle): void {
    const runs = runsOf(line, this.#fonts);
    const width = this.#widthOf(runs, size);
    const isAtRight = isAtEnd !== this.#isRtl;
    let x = this.#left(column) + (isAtRight ? column.width - width : 0);
    for (const { text, font } of runs) {
      this.#use(font, size);
      this.#document.fillColor(colour).text(text, x, this.#y + size, { lineBreak: false, baseline: "alphabetic" });
      x += this.#document.widthOfString(text);
    }
  }

  #use({ key, bytes }: TextRun["font"], size: number): void {
    this.#document.registerFont(key, bytes);
    this.#document.font(key).fontSize(size);
  }

  #widthOf(runs: readonly TextRun[], size: number): number {
    return runs.reduce((sum, { text, font }) => {
      this.#use(font, size);
      return sum + this.#document.widthOfString(text);
    }, 0);
  }

  /** Breaks a line at spaces, and where there is none, as in Chinese, between characters. */
  #wrap(text: string, width: number, size: number): string[] {
    const fits = (part: string): boolean => this.#widthOf(runsOf(part, this.#fonts), size) <= width;
    const lines: string[] = [];
    let line = "";
    for (const piece of text.match(
      /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\S+?(?=\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\s|$)|\s+/gu,
    ) ?? []) {
      if (fits(line + piece)) {
        line += piece;
        continue;
      }
      if (line.trim() !== "") {
        lines.push(line.trimEnd());
      }
      line = piece.trimStart();
      while (line !== "" && !fits(line)) {
        const characters = [...line];
        let count = characters.length - 1;
        while (count > 1 && !fits(characters.slice(0, count).join(""))) {
          count -= 1;
        }
        lines.push(characters.slice(0, count).join(""));
        line = characters.slice(count).join("");
      }
    }
    return [...lines, line];
  }
}
