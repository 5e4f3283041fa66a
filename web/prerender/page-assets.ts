import type { Locale } from "@sluice/contracts/locales";
import type { IslandName } from "../src/site/model.ts";

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] };

/** The URLs of the files that pages load. */
export type PageAssets = {
  readonly stylesheet: string;
  /** The script of pages with islands. */
  readonly script: string;
  readonly boot: string;
  /** The script that counts visits. */
  readonly landing: string;
  /** The script that identifies the logged-in user to the support widget. */
  readonly supportContext: string;
  readonly docsTools: string;
  /** The script and the stylesheet of the page of the whole API. */
  readonly apiPage: string;
  readonly apiPageStyles: string;
  readonly icon: string;
  /** The font that every page begins with. */
  readonly font: string;
  /** The font of code. */
  readonly codeFont: string;
  /** The files that an island loads, which are fetched together with the script. */
  readonly island: (name: IslandName) => readonly string[];
  /** The preview image of an indexable page. */
  readonly socialImage: (path: string, locale: Locale) => string;
};

/**
 * Reads the manifests of a build: of its files, and of its preview images.
 * @throws Error when an entry is missing
 */
export function readPageAssets(text: string, socialText: string): PageAssets {
  const manifest = JSON.parse(text) as Record<string, Chunk>;
  const images = JSON.parse(socialText) as Record<string, Record<string, string>>;
  const chunk = (key: string): Chunk => {
    const found = manifest[key];
    if (found === undefined) {
      throw new Error(`the manifest of the site has no ${key}`);
    }
    return found;
  };
  const address = (file: string): string => `/${file}`;
  const withImports = (key: string): string[] => {
    const { file, imports = [] } = chunk(key);
    return [file, ...imports.flatMap(withImports)];
  };
  const fontOf = (name: string): string =>
    address(Object.values(manifest).find(({ file }) => new RegExp(`${name}[^/]*\\.woff2$`).test(file))?.file ?? "");
  return {
    stylesheet: address(chunk("src/site/site.css").file),
    script: address(chunk("src/site/main.ts").file),
    boot: address(chunk("src/site/boot-site.ts").file),
    landing: address(chunk("src/site/landing.ts").file),
    supportContext: address(chunk("src/site/support-context.ts").file),
    docsTools: address(chunk("src/site/docs/docs-tools.ts").file),
    apiPage: address(chunk("src/api-page/main.ts").file),
    apiPageStyles: address(chunk("src/api-page/api-page.css").file),
    icon: address(chunk("src/site/icon.svg").file),
    font: fontOf("geist-latin-wght-normal"),
    codeFont: fontOf("geist-mono-latin-wght-normal"),
    island: (name) => {
      const own = withImports(`src/site/islands/${name}.tsx`);
      const script = chunk("src/site/main.ts").file;
      return [...new Set(own)].filter((file) => file !== script).map(address);
    },
    socialImage: (path, locale) => {
      const image = images[path]?.[locale];
      if (image === undefined) {
        throw new Error(`there is no image of ${path} in ${locale}`);
      }
      return image;
    },
  };
}
