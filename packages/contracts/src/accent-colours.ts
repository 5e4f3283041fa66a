/**
 * Colours that follow from the one that an operator chooses. It keeps its hue; its lightness moves until text in it and on
 * it is readable on every background of a theme. Lightness, chroma and hue are those of OKLCH.
 */

type Oklch = { readonly lightness: number; readonly chroma: number; readonly hue: number };
type Rgb = readonly [red: number, green: number, blue: number];

/** What a theme is drawn with, as hexadecimal colours. */
export type AccentColours = {
  /** Buttons, and what is chosen. */
  readonly accent: string;
  readonly hover: string;
  /** Text on buttons. */
  readonly on: string;
  /** Links and other text. */
  readonly ink: string;
  /** The least contrast of buttons, and of text on and beside them. */
  readonly contrast: number;
  /** Whether the colour had to become darker or lighter. */
  readonly isAdjusted: boolean;
};

export const accentThemes = ["light", "dark"] as const;
export type AccentTheme = (typeof accentThemes)[number];

/** The least contrast of text with its background, as accessibility guidelines ask for. */
export const contrastMin = 4.5;

/** The backgrounds of text in `tokens.css`, from which a test reads them. */
export const accentBackgrounds: Readonly<Record<AccentTheme, readonly string[]>> = {
  light: ["#fdfcfb", "#ffffff", "#f5f4f1"],
  dark: ["#0d0e12", "#131519", "#08090c"],
};

const textOnAccent: Readonly<Record<AccentTheme, string>> = { light: "#ffffff", dark: "#08120f" };
/** How much of the accent lies behind text that is chosen; `--accent-wash`. */
const washShare: Readonly<Record<AccentTheme, number>> = { light: 0.08, dark: 0.12 };
const hoverStep: Readonly<Record<AccentTheme, number>> = { light: -0.05, dark: 0.05 };
const searchStep = 0.005;
const chromaStep = 0.002;

/** A colour such as `#0b6b5f`. */
export function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** The colours of a theme, from a colour such as `#0b6b5f`. */
export function accentColours(hex: string, theme: AccentTheme): AccentColours {
  const wanted = oklchOf(rgbOf(hex));
  const on = textOnAccent[theme];
  const backgrounds = accentBackgrounds[theme];
  const least = (colour: string): number =>
    Math.min(contrastOf(colour, on), ...backgrounds.map((each) => contrastOf(colour, each)));
  const accent = firstReadable(wanted, theme, least);
  const shade = oklchOf(rgbOf(accent));
  const washed = backgrounds.map((each) => mixed(each, accent, washShare[theme]));
  const ink = firstReadable(shade, theme, (colour) =>
    Math.min(...[...backgrounds, ...washed].map((each) => contrastOf(colour, each))),
  );
  return {
    accent,
    hover: hexOf({ ...shade, lightness: clamp(shade.lightness + hoverStep[theme]) }),
    on,
    ink,
    contrast: Math.floor(least(accent) * 100) / 100,
    isAdjusted: accent !== hex.toLowerCase(),
  };
}

/** The contrast of two colours, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour itself, or the nearest darker one (lighter in a dark theme) that has enough contrast. */
function firstReadable(from: Oklch, theme: AccentTheme, least: (colour: string) => number): string {
  const step = theme === "light" ? -searchStep : searchStep;
  for (let lightness = from.lightness; lightness > 0 && lightness < 1; lightness += step) {
    const colour = hexOf({ ...from, lightness });
    if (least(colour) >= contrastMin) {
      return colour;
    }
  }
  return theme === "light" ? "#000000" : "#ffffff";
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function rgbOf(hex: string): Rgb {
  const channel = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [channel(1), channel(3), channel(5)];
}

function toHex(rgb: Rgb): string {
  return `#${rgb
    .map((each) =>
      Math.round(clamp(each) * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

function mixed(background: string, colour: string, share: number): string {
  const over = rgbOf(colour);
  const [red, green, blue] = rgbOf(background).map((each, at) => each * (1 - share) + (over[at] ?? 0) * share);
  return toHex([red ?? 0, green ?? 0, blue ?? 0]);
}

const toLinear = (each: number): number => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
const fromLinear = (each: number): number => (each <= 0.0031308 ? each * 12.92 : 1.055 * each ** (1 / 2.4) - 0.055);

function luminanceOf(hex: string): number {
  const [red, green, blue] = rgbOf(hex);
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);
}

function oklchOf(rgb: Rgb): Oklch {
  const [red, green, blue] = rgb.map(toLinear) as [number, number, number];
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

/** The colour on a screen; where a screen has none so strong, the strongest of the same lightness and hue. */
function hexOf({ lightness, chroma, hue }: Oklch): string {
  for (let strength = chroma; strength > 0; strength -= chromaStep) {
    const rgb = toRgb({ lightness, chroma: strength, hue });
    if (rgb.every((each) => each >= -0.0005 && each <= 1.0005)) {
      return toHex(rgb);
    }
  }
  return toHex(toRgb({ lightness, chroma: 0, hue }));
}

function toRgb({ lightness, chroma, hue }: Oklch): Rgb {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    fromLinear(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    fromLinear(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}
