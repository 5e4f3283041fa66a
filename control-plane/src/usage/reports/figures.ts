import type { figureKinds } from "@sluice/contracts/figure-kinds";
import type { UsageSums } from "./usage-sums-store.ts";

export type FigureKey = keyof typeof figureKinds;

const places = 4;
const scale = 8;

/** Exact decimals and integers as whole numbers of 10^-8. */
function scaled(value: string | bigint): bigint {
  const text = value.toString();
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
  return text.startsWith("-") ? -digits : digits;
}

/** A fraction with four places, rounded half away from zero; null for a fraction of zero. */
export function ratio(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) {
    return null;
  }
  const isNegative = part < 0n;
  const tenThousandths = ((isNegative ? -part : part) * 20_000n + whole) / (2n * whole);
  const digits = tenThousandths.toString().padStart(places + 1, "0");
  const sign = isNegative && tenThousandths > 0n ? "-" : "";
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The relative increase; null without a previous value to compare with. */
export function changeOf(value: string | bigint | null, previous: string | bigint | null): string | null {
  if (value === null || previous === null) {
    return null;
  }
  const before = scaled(previous);
  return ratio(scaled(value) - before, before);
}

export function successRate({ completed, failed }: Pick<UsageSums, "completed" | "failed">): string | null {
  return ratio(completed, completed + failed);
}
