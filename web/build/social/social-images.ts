import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initWasm } from "@resvg/resvg-wasm";
import { renderSocialImage, socialImageSvg } from "./draw-image.ts";

/** A page in a language; the title is null if our fonts lack its letters. */
export type SocialTitle = { readonly path: string; readonly locale: string; readonly title: string | null };

/** The URL of the image of a page, by path and language. */
export type SocialManifest = Readonly<Record<string, Readonly<Record<string, string>>>>;

const fontFiles = [
  import.meta.resolve("@fontsource/geist/files/geist-latin-600-normal.woff2"),
  import.meta.resolve("@fontsource/geist/files/geist-cyrillic-600-normal.woff2"),
];
const renderer = import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm");
const hashLength = 16;

/**
 * Draws the images of all pages into `assets/social` of a build and records which belongs to which. Images of an
 * earlier build come from the cache, which keeps only what is still used.
 */
export async function writeSocialImages(
  titles: readonly SocialTitle[],
  { client, cache }: { readonly client: string; readonly cache: string },
): Promise<void> {
  const [fonts, wasm] = await Promise.all([
    Promise.all(fontFiles.map(async (file) => new Uint8Array(await readFile(new URL(file))))),
    readFile(new URL(renderer)),
  ]);
  // Another font or renderer draws a different image of the same text.
  const means = new Bun.CryptoHasher("sha256");
  for (const bytes of [...fonts, wasm]) {
    means.update(bytes);
  }
  const meansHash = means.digest("hex");
  let ready: Promise<void> | null = null;
  const render = async (svg: string): Promise<Uint8Array> => {
    ready ??= initWasm(wasm);
    await ready;
    return renderSocialImage(svg, fonts);
  };
  const folder = join(client, "assets/social");
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(cache, { recursive: true })]);
  const manifest: Record<string, Record<string, string>> = {};
  const names = new Set<string>();
  for (const { path, locale, title } of titles) {
    const svg = socialImageSvg(title);
    const name = `${new Bun.CryptoHasher("sha256")
      .update(meansHash + svg)
      .digest("hex")
      .slice(0, hashLength)}.png`;
    if (!names.has(name)) {
      names.add(name);
      await writeFile(join(folder, name), await cached(join(cache, name), () => render(svg)));
    }
    manifest[path] = { ...manifest[path], [locale]: `/assets/social/${name}` };
  }
  await writeFile(join(client, "manifest-social.json"), JSON.stringify(manifest));
  await Promise.all(
    (await readdir(cache)).filter((name) => !names.has(name)).map((name) => rm(join(cache, name), { force: true })),
  );
}

async function cached(file: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const kept = await readFile(file).catch(() => null);
  if (kept !== null) {
    return kept;
  }
  const made = await make();
  // The file is renamed when it is complete, in case the build is killed here.
  await writeFile(`${file}.tmp`, made);
  await rename(`${file}.tmp`, file);
  return made;
}
