import type { Series, SeriesTone } from "./model.ts";

/** How many colours there are before "Other"; the tokens `--series-1` and so on define them for both themes. */
export const seriesSlots = 7;

const toneColors: Readonly<Record<SeriesTone, string>> = { ok: "--ok", warn: "--warn", bad: "--bad" };

/**
 * The same id has the same colour on every page: a model, a provider. Two ids of one chart may collide; see
 * `seriesColors`.
 */
export function slotOf(id: string): number {
  let hash = 2_166_136_261;
  for (const character of id) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return hash % seriesSlots;
}

/**
 * The custom property with the colour of each series of a chart, by name. A series without a tone has the colour of its
 * id if that is free, else the next free one, in the order of the series; the previous period has the colour of "Other".
 */
export function seriesColors(series: readonly Series[]): ReadonlyMap<string, string> {
  const taken = new Set<number>();
  const colors = new Map<string, string>();
  for (const each of series) {
    if (each.tone !== undefined) {
      colors.set(each.name, toneColors[each.tone]);
    } else if (each.isOther === true || each.isPrevious === true) {
      colors.set(each.name, "--series-other");
    } else {
      const slot = freeSlot(slotOf(each.id ?? each.name), taken);
      taken.add(slot);
      colors.set(each.name, `--series-${slot + 1}`);
    }
  }
  return colors;
}

function freeSlot(wanted: number, taken: ReadonlySet<number>): number {
  let slot = wanted;
  for (let step = 0; step < seriesSlots && taken.has(slot); step += 1) {
    slot = (slot + 1) % seriesSlots;
  }
  return slot;
}
