import { ConversionError } from "../model.ts";

const depthMax = 256;

/** Whether a value is nested too deeply to be written as JSON again without running out of stack. */
export function isTooDeep(value: unknown): boolean {
  return typeof value === "object" && value !== null && isDeeperThan(value, depthMax);
}

/** @throws ConversionError for a value that is nested too deeply */
export function requireShallow(value: unknown, param: string): void {
  if (isTooDeep(value)) {
    throw new ConversionError(`'${param}' is nested too deeply.`, param);
  }
}

function isDeeperThan(value: object, depth: number): boolean {
  if (depth === 0) {
    return true;
  }
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some((entry) => typeof entry === "object" && entry !== null && isDeeperThan(entry, depth - 1));
}
