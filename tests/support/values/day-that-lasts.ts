import { dayMs } from "@sluice/control-plane/platform/clock.ts";

/** A minute: enough for such a test, even on a busy machine. */
const neededMs = 60_000;

/** How long to wait for the next day: 0 unless this one is about to end, in UTC. */
export function untilDayLastsMs(epochMs: number): number {
  const leftMs = dayMs - (epochMs % dayMs);
  return leftMs < neededMs ? leftMs : 0;
}

/**
 * For a test that is right only if it begins and ends on the same day, and so in the same month: in the last minute of a day,
 * waits for the next one.
 */
export async function untilDayLasts(): Promise<void> {
  await Bun.sleep(untilDayLastsMs(Date.now()));
}
