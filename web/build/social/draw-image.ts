import { Resvg } from "@resvg/resvg-wasm";
import { socialImageSize } from "./image-size.ts";

const titleFontPx = 84;
const titleLinePx = 100;
const titleLinesMax = 3;
/** The width of a letter relative to the font size; letters of the font are slightly narrower on average. */
const letterWidth = 0.56;
const marginPx = 88;
const lineLettersMax = Math.floor((socialImageSize.width - 2 * marginPx) / (titleFontPx * letterWidth));
const paper = "#fdfcfb";
const ink = "#16181e";
const accent = "#0b7568";
const hairline = "#e1e0db";

/**
 * The preview image of a page as SVG: the logo, the name and, if there is one, the title.
 * @throws Error when the title is longer than three lines
 */
export function socialImageSvg(title: string | null): string {
  const { width, height } = socialImageSize;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    ...(title === null ? brandOnly() : withTitle(title)),
    `<rect y="${height - 12}" width="${width}" height="12" fill="${accent}"/>`,
    "</svg>",
  ].join("");
}

/** @param fonts all fonts for the text; the system's fonts are not used */
export function renderSocialImage(svg: string, fonts: readonly Uint8Array[]): Uint8Array {
  const font = { fontBuffers: [...fonts], defaultFontFamily: "Geist" };
  return new Resvg(svg, { font }).render().asPng();
}

function withTitle(title: string): string[] {
  const lines = linesOf(title);
  const firstBaselinePx = 566 - (lines.length - 1) * titleLinePx - 40;
  return [
    mark(marginPx, 76, 4),
    text("Sluice", marginPx + 92, 134, 56),
    `<rect x="${marginPx}" y="208" width="${socialImageSize.width - 2 * marginPx}" height="2" fill="${hairline}"/>`,
    ...lines.map((line, at) => text(line, marginPx, firstBaselinePx + at * titleLinePx, titleFontPx)),
  ];
}

function brandOnly(): string[] {
  return [mark(272, 216, 11), text("Sluice", 512, 364, 144)];
}

/** The logo of `icon.svg`, at a position and scale. */
function mark(x: number, y: number, scale: number): string {
  const path = "M2 2v14M16 2v14M5.5 5.5h7M5.5 9h4.5M5.5 12.5h2";
  return `<path transform="translate(${x} ${y}) scale(${scale})" d="${path}" fill="none" stroke="${accent}" stroke-width="2"/>`;
}

function text(content: string, x: number, y: number, sizePx: number): string {
  const escaped = content.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<text x="${x}" y="${y}" font-family="Geist" font-weight="600" font-size="${sizePx}" letter-spacing="${-sizePx / 50}" fill="${ink}">${escaped}</text>`;
}

function linesOf(title: string): string[] {
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= lineLettersMax) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  if (lines.length > titleLinesMax) {
    throw new Error(`the title "${title}" does not fit on its image`);
  }
  return lines;
}
