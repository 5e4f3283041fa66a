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
  /** What users accept; 0 before the operator has asked them to. */
  readonly edition: number;
  /** What is different in the edition. */
  readonly changes: string;
};

/**
 * The texts that pages show: those of the newest edition of their page that are not withdrawn. Nobody can accept terms by reading
 * earlier ones, so until a text is translated its visitors read another language.
 */
export function shownLegal(newest: readonly CurrentLegal[]): CurrentLegal[] {
  return newest.filter(
    ({ page, markdown, edition }) =>
      markdown !== "" && newest.every((other) => other.page !== page || other.edition <= edition),
  );
}

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
