import { type BrandImageKind, imageBytesMax } from "@sluice/contracts/brand";
import { imageSize } from "image-size";
import { AppError } from "../platform/errors.ts";
import type { StoredImage } from "./model.ts";

type KindRule = {
  readonly types: readonly string[];
  readonly sideMax: number;
  readonly widthMin: number;
  readonly ratio: readonly [min: number, max: number];
  readonly says: string;
};

const logo: KindRule = {
  types: ["png", "webp", "svg"],
  sideMax: 2_000,
  widthMin: 16,
  ratio: [0.5, 8],
  says: "A logo is a PNG, WebP or SVG file, 16 to 2,000 pixels wide and at most eight times as wide as high.",
};

const rules: Readonly<Record<BrandImageKind, KindRule>> = {
  logo_light: logo,
  logo_dark: logo,
  icon: {
    types: ["png", "svg"],
    sideMax: 1_024,
    widthMin: 16,
    ratio: [0.95, 1.05],
    says: "An icon is a square PNG or SVG file, 16 to 1,024 pixels wide.",
  },
  social: {
    types: ["png", "jpg"],
    sideMax: 2_400,
    widthMin: 600,
    ratio: [1.7, 2.1],
    says: "The link preview image is a PNG or JPEG file, 600 to 2,400 pixels wide and about half as high, best 1200 x 630.",
  },
};

const contentTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  svg: "image/svg+xml",
};

/**
 * What a drawing may not hold, although browsers run nothing of an image, and the policy that it is served with would not
 * allow it either.
 */
const activeParts =
  /<!DOCTYPE|<!ENTITY|<\?xml-stylesheet|<(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|audio|video)\b|[\s"'/]on[a-z]+\s*=|javascript:|@import|(?:href|src)\s*=\s*["']?\s*(?!["']?(?:#|data:image\/(?:png|jpeg|webp);))/i;

/**
 * Reads an uploaded image by its bytes, whatever its name was.
 * @throws AppError `invalid_value` that says what kind of file is taken
 */
export function readImage(kind: BrandImageKind, base64: string): StoredImage {
  const bytes = Uint8Array.fromBase64(base64);
  const { types, sideMax, widthMin, ratio, says } = rules[kind];
  if (bytes.length > imageBytesMax) {
    throw refused(`The file may have up to ${imageBytesMax / 1024} KiB.`);
  }
  const size = sizeOf(bytes);
  if (size === null || !types.includes(size.type)) {
    throw refused(says);
  }
  const { width, height, type } = size;
  const shape = width / height;
  if (width < widthMin || Math.max(width, height) > sideMax || !(shape >= ratio[0] && shape <= ratio[1])) {
    throw refused(`${says} This one is ${width} x ${height}.`);
  }
  if (type === "svg") {
    refuseActiveDrawing(bytes);
  }
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  return {
    kind,
    hash,
    contentType: contentTypes[type] ?? "",
    width: Math.round(width),
    height: Math.round(height),
    bytes,
  };
}

function refused(text: string): AppError {
  return new AppError("invalid_value", { fields: { file: text } });
}

function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number; readonly type: string } | null {
  try {
    const { width, height, type = "" } = imageSize(bytes);
    return Number.isFinite(width) && Number.isFinite(height) && height > 0 ? { width, height, type } : null;
  } catch {
    // The library knows no such format, or the file is cut off.
    return null;
  }
}

function refuseActiveDrawing(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  // Characters may be written as references, which are read before a browser looks at them.
  if (activeParts.test(text) || /&#/.test(text)) {
    throw refused("This SVG file contains scripts, links or parts of other files. Export it as a plain drawing.");
  }
}
