import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accentBackgrounds,
  accentColours,
  accentThemes,
  contrastMin,
  contrastOf,
} from "@sluice/contracts/accent-colours";

/** Corners, edges and a grid of the colours that a screen can show. */
const steps = ["00", "33", "66", "99", "cc", "ff"];
const colours = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)));

test("whatever colour is chosen, text in it and on it is readable in both themes", () => {
  for (const colour of colours) {
    for (const theme of accentThemes) {
      const { accent, hover, on, ink, contrast } = accentColours(colour, theme);
      for (const background of accentBackgrounds[theme]) {
        expect([colour, theme, background, contrastOf(accent, background) >= contrastMin]).toEqual([
          ...[colour, theme, background],
          true,
        ]);
        expect(contrastOf(ink, background)).toBeGreaterThanOrEqual(contrastMin);
      }
      expect(contrastOf(accent, on)).toBeGreaterThanOrEqual(contrastMin);
      expect(contrastOf(hover, on)).toBeGreaterThanOrEqual(contrastMin);
      expect(contrast).toBeGreaterThanOrEqual(contrastMin);
    }
  }
});

test("a colour that is readable stays as it is, and another moves only as far as needed", () => {
  expect(accentColours("#0B6B5F", "light")).toMatchObject({ accent: "#0b6b5f", isAdjusted: false });
  expect(accentColours("#ffee00", "dark")).toMatchObject({ accent: "#ffee00", isAdjusted: false });
  const { accent, isAdjusted, contrast } = accentColours("#ffee00", "light");
  expect(isAdjusted).toBe(true);
  expect(contrast).toBeLessThan(4.8);
  // It is still a yellow: red and green are strong, blue is not.
  expect(accent).toMatch(/^#(?:[5-9]|[a-f])[0-9a-f](?:[5-9]|[a-f])[0-9a-f][0-2][0-9a-f]$/);
});

test("the contrast of black and white is 21, and of a colour with itself 1", () => {
  expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastOf("#336699", "#336699")).toBe(1);
});

test("the backgrounds are those of the tokens", () => {
  const tokens = readFileSync(join(import.meta.dirname, "../../../web/src/styles/tokens.css"), "utf8");
  const pairs = ["--bg", "--panel", "--sunk"].map((name) => {
    const [, light = "", dark = ""] =
      new RegExp(`${name}: light-dark\\((#\\w+|oklch\\([^)]*\\)), (#\\w+|oklch\\([^)]*\\))\\);`).exec(tokens) ?? [];
    return [light, dark];
  });
  expect(pairs).toEqual([
    ["oklch(0.992 0.002 95)", "oklch(0.165 0.008 265)"],
    ["#fff", "oklch(0.195 0.009 265)"],
    ["oklch(0.968 0.004 95)", "oklch(0.14 0.008 265)"],
  ]);
  expect(accentBackgrounds).toEqual({
    light: ["#fdfcfb", "#ffffff", "#f5f4f1"],
    dark: ["#0d0e12", "#131519", "#08090c"],
  });
});
