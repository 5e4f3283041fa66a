import type { JsonObject } from "../../operations/model.ts";

/** The size that a price per image covers, in pixels; providers never charge more for a smaller image. */
const plainSide = 1024;
const plainPixels = plainSide * plainSide;
const sizePattern = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/;
const plainQualities: ReadonlySet<unknown> = new Set(["auto", "standard", "low", "medium"]);
const plainValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  quality: (value) => plainQualities.has(value),
  size: isPlainSize,
  image_size: isPlainSize,
  width: isPlainSide,
  height: isPlainSide,
  resolution: (value) => typeof value === "string" && /^(?:auto|1k)$/i.test(value),
  input_fidelity: (value) => value === "low",
  partial_images: (value) => value === 0 || value === "0",
};

/**
 * The option of an image request that makes images more expensive than the price per image covers, or null. If images
 * are charged by their tokens, the tokens include it.
 */
export function findPictureOption(fields: JsonObject): string | null {
  const raisesPrice = ([name, isPlain]: [string, (value: unknown) => boolean]): boolean => {
    const value = fields[name] ?? null;
    return value !== null && !isPlain(value);
  };
  return Object.entries(plainValues).find(raisesPrice)?.[0] ?? null;
}

/** In forms, numbers are strings. */
function isPlainSide(value: unknown): boolean {
  return typeof value === "number" || typeof value === "string" ? Number(value) <= plainSide : false;
}

function isPlainSize(value: unknown): boolean {
  const [, width = "", height = ""] = (typeof value === "string" ? sizePattern.exec(value) : null) ?? [];
  return value === "auto" || (width !== "" && Number(width) * Number(height) <= plainPixels);
}
