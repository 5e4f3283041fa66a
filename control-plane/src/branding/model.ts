import type { BrandFiles, BrandImageKind, BrandText, BrandTexts, LegalPage } from "@sluice/contracts/brand";
import type { Locale } from "@sluice/contracts/locales";
import type { StaticFile } from "../platform/static-file.ts";

/** What is known of an image beside its bytes. */
export type ImageFacts = {
  readonly kind: BrandImageKind;
  readonly hash: string;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
};

export type StoredImage = ImageFacts & { readonly bytes: Uint8Array };

/** The newest version of a legal page in one language. */
export type CurrentLegal = {
  readonly page: LegalPage;
  readonly locale: Locale;
  readonly markdown: string;
  readonly effectiveOn: string;
  readonly version: number;
};

/** What the settings say of the look. */
export type LookRules = { readonly accent: string; readonly isLogoAlone: boolean };

/** A file that anyone may load, and whether its URL changes with its content. */
export type BrandFile = { readonly file: StaticFile; readonly isFixed: boolean };

/** What the pages show of the operator, beside what the settings say. */
export type BrandState = {
  readonly files: BrandFiles;
  readonly texts: BrandTexts;
  readonly legal: readonly CurrentLegal[];
};

const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/svg+xml": "svg",
};

/** The path of an image, which changes with its content. */
export function imagePath({ kind, hash, contentType }: Omit<ImageFacts, "width" | "height">): string {
  return `/brand/${kind.replace("_", "-")}-${hash}.${extensions[contentType] ?? "bin"}`;
}

/** Where mails load the logo: mails stay, so that it has one path whatever its content. */
export const mailLogoPath = "/brand/logo";

export type StoredText = BrandText & { readonly locale: Locale };
