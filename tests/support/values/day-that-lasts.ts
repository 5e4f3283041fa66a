import { dayMs } from "@sluice/control-plane/platform/clock.ts";

/** A minute, in which a test ends even on a busy machine. */
const neededMs = 60_000;

/** How long to wait until a day has begun that lasts: 0 unless this one is about to end, in UTC. */
export function untilDayLastsMs(epochMs: number): number {
  const leftMs = dayMs - (epochMs % dayMs);
  return leftMs < neededMs ? leftMs : 0;
}

/**
 * For a test that is right only if its day, and so its month, is the same from beginning to end: waits for the next one
 * in the last minute of a day.
 */
export async function untilDayLasts(): Promise<void> {
  await Bun.sleep(untilDayLastsMs(Date.now()));
}
