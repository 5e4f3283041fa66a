import type { BrandImage, BrandImageKind } from "@sluice/contracts/brand";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import { fileOf, type StaticFile } from "../platform/static-file.ts";
import {
  type BrandFile,
  type BrandState,
  type CurrentLegal,
  type ImageFacts,
  imagePath,
  type LookRules,
  mailLogoPath,
  type StoredText,
  shownLegal,
} from "./model.ts";
import { listCurrentLegal, listImages, listTexts, readImageBytes } from "./store.ts";
import { brandStylesheet } from "./stylesheet.ts";

export const brandingChannel = "brand_changed";
/** The maximum age if an announcement is lost. */
const reloadMs = 30_000;
/** A path that this process does not know may be that of a change which it has not heard of yet. */
const lookAgainMs = 500;
/** Files of earlier states: pages that show them are drawn again some seconds after a change. */
const keptFilesMax = 24;

export type BrandingDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly rules: () => LookRules;
};

/** What the operator has uploaded and written, in this process's memory. Reads cost nothing. */
export class Branding {
  readonly #deps: BrandingDeps;
  #images: readonly ImageFacts[] = [];
  #texts: readonly StoredText[] = [];
  #legal: readonly CurrentLegal[] = [];
  /** By path, the oldest first. */
  readonly #files = new Map<string, StaticFile>();
  #loading: Promise<void> = Promise.resolve();
  #loadedTick = Number.NEGATIVE_INFINITY;
  #state = "";
  #onChange: () => void = () => undefined;
  #timer: Timer | null = null;

  constructor(deps: BrandingDeps) {
    this.#deps = deps;
  }

  /** Loads everything and follows changes from then on. */
  async start(notifications: Notifications): Promise<void> {
    notifications.listen(brandingChannel, () => void this.reload());
    notifications.onGap(() => void this.reload());
    await this.reload();
    this.#timer = setInterval(() => void this.reload(), reloadMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
  }

  /** Calls the function each time that something has changed in this process. There is one such function. */
  onChange(report: () => void): void {
    this.#onChange = report;
  }

  /** Loads everything again; if that fails, it stays as it is. */
  reload(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#load());
    return this.#loading;
  }

  /** What pages show now. */
  state(): BrandState {
    const icon = this.#image("icon");
    return {
      files: {
        stylesheet: this.#stylesheet(),
        icon: icon === null ? null : { url: icon.url, type: icon.type },
        social_image: this.#image("social"),
      },
      texts: Object.fromEntries(this.#texts.map(({ locale, ...text }) => [locale, text])),
      legal: this.#legal,
    };
  }

  /** The legal pages that are shown, in each language. */
  legal(): readonly CurrentLegal[] {
    return this.#legal;
  }

  /** The logo in mails, whose programs draw no SVG; null if there is none that they draw. */
  mailLogo(): BrandImage | null {
    const logo = this.#image("logo_light");
    return logo === null || logo.type === "image/svg+xml" ? null : { ...logo, url: mailLogoPath };
  }

  /** The file at a path below `/brand/`; null if there is none. */
  async find(path: string): Promise<BrandFile | null> {
    this.#stylesheet();
    if (path === mailLogoPath) {
      const logo = this.#image("logo_light");
      const file = logo === null ? undefined : this.#files.get(logo.url);
      return file === undefined ? null : { file, isFixed: false };
    }
    if (!this.#files.has(path) && performance.now() - this.#loadedTick > lookAgainMs) {
      await this.reload();
      this.#stylesheet();
    }
    const file = this.#files.get(path);
    return file === undefined ? null : { file, isFixed: true };
  }

  #image(kind: BrandImageKind): BrandImage | null {
    const image = this.#images.find((each) => each.kind === kind);
    if (image === undefined) {
      return null;
    }
    const { width, height, contentType } = image;
    return { url: imagePath(image), type: contentType, width, height };
  }

  /** The path of the stylesheet, which can be loaded from then on. */
  #stylesheet(): string | null {
    const text = brandStylesheet(this.#deps.rules(), this.#images);
    if (text === null) {
      return null;
    }
    const path = `/brand/look-${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)}.css`;
    if (!this.#files.has(path)) {
      this.#keep(path, fileOf(text, "text/css; charset=utf-8"));
    }
    return path;
  }

  #keep(path: string, file: StaticFile): void {
    this.#files.set(path, file);
    const current = new Set(this.#images.map(imagePath));
    const earlier = [...this.#files.keys()].filter((each) => each !== path && !current.has(each));
    for (const each of earlier.slice(0, Math.max(0, this.#files.size - keptFilesMax))) {
      this.#files.delete(each);
    }
  }

  async #load(): Promise<void> {
    const { db, log } = this.#deps;
    try {
      const images = await listImages(db);
      const missing = images.filter((image) => !this.#files.has(imagePath(image)));
      const bytes =
        missing.length === 0
          ? []
          : await readImageBytes(
              db,
              missing.map(({ hash }) => hash),
            );
      const [texts, legal] = [await listTexts(db), await listCurrentLegal(db)];
      // An image that was replaced between the two reads is announced once more.
      this.#images = images.filter(
        (image) => !missing.includes(image) || bytes.some(({ hash }) => hash === image.hash),
      );
      for (const image of missing) {
        const found = bytes.find(({ hash }) => hash === image.hash);
        if (found !== undefined) {
          this.#keep(imagePath(image), imageFile(image, found.bytes));
        }
      }
      this.#texts = texts.map(({ locale, headline, sub_line, links }) => ({ locale, headline, sub_line, links }));
      this.#legal = shownLegal(legal);
      this.#loadedTick = performance.now();
      const state = JSON.stringify([this.#images, this.#texts, legal]);
      if (state !== this.#state) {
        this.#state = state;
        this.#onChange();
      }
    } catch (error) {
      log.warn("branding.load_failed", { error });
    }
  }
}

function imageFile({ contentType, hash }: ImageFacts, bytes: Uint8Array): StaticFile {
  return { bytes: new Uint8Array(bytes), brotli: null, gzip: null, contentType, hash };
}
