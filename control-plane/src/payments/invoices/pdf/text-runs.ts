import bidiFactory from "bidi-js";
import type { FontChooser, LoadedFont } from "./fonts.ts";

const bidi = bidiFactory();

/** A part of a line in one font and one direction, as it is drawn. */
export type TextRun = { readonly text: string; readonly font: LoadedFont };

type LevelRun = TextRun & { readonly level: number };

const isRight = (level: number): boolean => level % 2 === 1;

/**
 * The runs of one line from left to right on paper. Its first letter decides its direction. Characters are mirrored and runs reordered by the rules for text of
 * both directions; letters within a run are joined and turned by the font.
 */
export function runsOf(line: string, fonts: FontChooser): TextRun[] {
  const levels = bidi.getEmbeddingLevels(line);
  const mirrored = bidi.getMirroredCharactersMap(line, levels.levels);
  const runs: LevelRun[] = [];
  let at = 0;
  for (const character of line) {
    const level = levels.levels[at] ?? 0;
    const shown = mirrored.get(at) ?? character;
    const last = runs.at(-1);
    const font = fontAfter(last, shown, fonts);
    if (last !== undefined && last.level === level && last.font === font) {
      runs[runs.length - 1] = { ...last, text: last.text + shown };
    } else {
      runs.push({ text: shown, font, level });
    }
    at += character.length;
  }
  return inVisualOrder(runs).flatMap(({ text, font, level }) =>
    isRight(level) ? wordsOf(text).map((word) => ({ text: turned(word), font })) : [{ text, font }],
  );
}

/** Marks and spaces stay in the font of what they follow, if it has them, so that they are placed by it. */
function fontAfter(last: LevelRun | undefined, character: string, fonts: FontChooser): LoadedFont {
  const codePoint = character.codePointAt(0) ?? 0;
  const isKept = /^[\p{M}\p{Zs}\p{Cf}]$/u.test(character) && last?.font.font.hasGlyphForCodePoint(codePoint) === true;
  return isKept && last !== undefined ? last.font : fonts.fontOf(codePoint);
}

/** From the highest level down, each series of runs at or above it is reversed. */
function inVisualOrder(runs: readonly LevelRun[]): LevelRun[] {
  let ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    const next: LevelRun[] = [];
    let series: LevelRun[] = [];
    for (const run of ordered) {
      if (run.level >= level) {
        series.unshift(run);
      } else {
        next.push(...series, run);
        series = [];
      }
    }
    ordered = [...next, ...series];
  }
  return ordered;
}

/** The words of a run that is read from the right, and the spaces between them: the library lays words out from the left. */
function wordsOf(text: string): string[] {
  return text
    .split(/(\s+)/)
    .filter((word) => word !== "")
    .reverse();
}

/** The font turns letters of Arabic by itself; what has no direction of its own is turned here. */
function turned(word: string): string {
  return /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(word) ? word : [...word].reverse().join("");
}
