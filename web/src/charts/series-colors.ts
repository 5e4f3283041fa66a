/** How many colours there are before "Other"; the tokens `--series-1` and so on define them for both themes. */
export const seriesSlots = 5;

/**
 * The same name has the same colour on every page: a model, a provider. Two names of one chart may collide; see
 * `colorSlots`.
 */
export function slotOf(name: string): number {
  let hash = 2_166_136_261;
  for (const character of name) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return hash % seriesSlots;
}

/** Colour slots for the names of one chart: each its own if free, else the next free one, in the order of the names. */
export function colorSlots(names: readonly string[]): ReadonlyMap<string, number> {
  const taken = new Set<number>();
  const slots = new Map<string, number>();
  for (const name of names) {
    let slot = slotOf(name);
    for (let step = 0; step < seriesSlots && taken.has(slot); step += 1) {
      slot = (slot + 1) % seriesSlots;
    }
    taken.add(slot);
    slots.set(name, slot);
  }
  return slots;
}

/** The custom property with the colour of a slot; null is "Other". */
export function colorOf(slot: number | null): string {
  return slot === null ? "var(--series-other)" : `var(--series-${slot + 1})`;
}
