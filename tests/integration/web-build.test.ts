import { beforeAll, describe, expect, test } from "bun:test";
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { builtWeb } from "../support/web/web-build.ts";

type Chunk = {
  readonly file: string;
  readonly name?: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
};
type Manifest = Readonly<Record<string, Chunk>>;

const kB = 1_000;
let client = "";
let app: Manifest = {};
let site: Manifest = {};

beforeAll(async () => {
  const dist = await builtWeb();
  client = join(dist, (await readFile(join(dist, "current"), "utf8")).trim(), "client");
  app = JSON.parse(await readFile(join(client, "manifest-app.json"), "utf8")) as Manifest;
  site = JSON.parse(await readFile(join(client, "manifest-site.json"), "utf8")) as Manifest;
  // By their names, as the keys of shared chunks change with their content.
  const shared = Object.values(app).filter(({ name }) => name?.startsWith("parts-"));
  app = { ...app, ...Object.fromEntries(shared.map((chunk) => [chunk.name ?? "", chunk])) };
});

/** The keys of a chunk and of all that it loads: at once, or (`everything`) ever. */
function reach(
  manifest: Manifest,
  key: string,
  depth: "at once" | "everything",
  seen = new Set<string>(),
): Set<string> {
  const chunk = manifest[key];
  if (chunk !== undefined && !seen.has(key)) {
    seen.add(key);
    const next = [...(chunk.imports ?? []), ...(depth === "everything" ? (chunk.dynamicImports ?? []) : [])];
    for (const each of next) {
      reach(manifest, each, depth, seen);
    }
  }
  return seen;
}

async function gzipped(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...files].map(async (file) => gzipSync(await readFile(join(client, file))).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function filesOf(manifest: Manifest, keys: Iterable<string>, kind: "js" | "css"): Set<string> {
  const chunks = [...keys].flatMap((key) => manifest[key] ?? []);
  return new Set(kind === "js" ? chunks.map(({ file }) => file) : chunks.flatMap(({ css = [] }) => css));
}

const pagesOf = (area: string): string[] =>
  Object.keys(app).filter((key) => key.startsWith(`src/${area}/pages/`) && key.endsWith("/page.tsx"));

const styleKb = 14;
/** What a page that is a program of its own may load more. */
const moreKb: Readonly<Record<string, number>> = { "src/console/pages/playground/page.tsx": 5 };

test("a build that is current is not named again, so that it serves from a folder that is read-only", async () => {
  const dist = await builtWeb();
  const { ino } = await stat(join(dist, "current"));
  await builtWeb();
  expect((await stat(join(dist, "current"))).ino).toBe(ino);
});

test("a build that is used again counts as new, so that newer ones do not replace it while it serves", async () => {
  const dist = await builtWeb();
  const current = join(dist, (await readFile(join(dist, "current"), "utf8")).trim());
  await utimes(current, 0, 0);
  await builtWeb();
  expect((await stat(current)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
});

describe.each([
  ["console", 71, 14, 3],
  ["admin", 82.1, 15, 3],
] as const)("the %s", (area, scriptKb, pageKb, filesAtOnce) => {
  /** The chunk with the entry in it; the file of the entry alone is never loaded. */
  const entry = `parts-${area}`;

  /** What is loaded before anything can be seen: the frame, a page, and its texts in English. */
  const firstLoad = (page: string): Set<string> => {
    const texts = Object.keys(app).filter(
      (key) => key === `src/${area}/messages/en.ts` || key === page.replace("page.tsx", "messages/en.ts"),
    );
    return new Set([entry, page, ...texts].flatMap((key) => [...reach(app, key, "at once")]));
  };

  test("loads no more than its budget, whichever page comes first", async () => {
    expect(pagesOf(area).length).toBeGreaterThan(0);
    for (const page of pagesOf(area)) {
      const keys = firstLoad(page);
      const script = await gzipped(filesOf(app, keys, "js"));
      const style = await gzipped(filesOf(app, keys, "css"));
      const most = (scriptKb + (moreKb[page] ?? 0)) * kB;
      expect({ page, isWithin: script < most && style < styleKb * kB, script, style }).toMatchObject({
        isWithin: true,
      });
    }
  });

  test("requests few files before its first page is there", () => {
    for (const page of pagesOf(area)) {
      const keys = firstLoad(page);
      const scripts = filesOf(app, keys, "js").size;
      const styles = filesOf(app, keys, "css").size;
      expect({ page, isWithin: scripts <= 8 && styles <= 5, scripts, styles }).toMatchObject({ isWithin: true });
    }
    expect(filesOf(app, reach(app, entry, "at once"), "js").size).toBe(filesAtOnce);
  });

  test("loads what is opened by a key or a button only when it is opened", () => {
    const opened =
      /(shell\/(palette|shortcuts-dialog)|parts\/(bulk-dialog|archive-forms|step-up-form|what-changes|palette-actions))\.tsx?$/;
    const late = Object.keys(app).filter((key) => opened.test(key.replace("what-changes/", "")));
    expect(late.length).toBe(8);
    const first = new Set(
      [entry, ...pagesOf(area)].flatMap((key) => [...filesOf(app, reach(app, key, "at once"), "js")]),
    );
    expect(late.filter((key) => first.has(app[key]?.file ?? ""))).toEqual([]);
  });

  test("adds little for each page", async () => {
    for (const page of pagesOf(area)) {
      const size = await gzipped([app[page]?.file ?? ""]);
      expect({ page, isWithin: size < pageKb * kB, size }).toMatchObject({ isWithin: true });
    }
  });

  test("loads the chart code only with a chart", () => {
    const plot = Object.keys(app).find((key) => key.endsWith("charts/plot.tsx")) ?? "";
    const file = app[plot]?.file ?? "";
    expect(file).not.toBe("");
    for (const key of [entry, ...pagesOf(area)]) {
      expect([...filesOf(app, reach(app, key, "at once"), "js")]).not.toContain(file);
    }
  });
});

type NamedPage = { readonly path: string; readonly modules: readonly string[] };

test("every page has an address in the list of the service, which names all that it loads beside the frame", async () => {
  const pages = JSON.parse(await readFile(join(client, "app-pages.json"), "utf8")) as Record<string, NamedPage[]>;
  for (const area of ["console", "admin"]) {
    const frame = filesOf(app, reach(app, `parts-${area}`, "at once"), "js");
    const named = (pages[area] ?? []).map(({ modules }) => [...modules].sort().join(" "));
    const loaded = pagesOf(area).map((page) =>
      [...filesOf(app, reach(app, page, "at once"), "js")]
        .flatMap((file) => (frame.has(file) ? [] : [`/${file}`]))
        .sort()
        .join(" "),
    );
    expect(loaded.length).toBeGreaterThan(10);
    expect(named.sort()).toEqual(loaded.sort());
  }
});

test("the styles that come first mention every layer, in order", async () => {
  for (const area of ["console", "admin", "kit"]) {
    const document = await readFile(join(client, `${area}.html`), "utf8");
    const [, first = ""] = /rel="stylesheet" href="\/([^"]+)"/.exec(document) ?? [];
    const layers = [...(await readFile(join(client, first), "utf8")).matchAll(/@layer ([\w, ]+)/g)];
    const mentioned = new Set(layers.flatMap(([, names = ""]) => names.split(",").map((name) => name.trim())));
    expect([...mentioned]).toEqual(["reset", "tokens", "base", "kit", "page"]);
  }
});

test("the chart code stays within its budget", async () => {
  const plot = Object.keys(app).filter((key) => key.endsWith("charts/plot.tsx"));
  // The legend and the table of a chart are there with the page.
  const before = ["src/admin/main.tsx", "src/admin/pages/dashboard/page.tsx"];
  const shared = new Set(before.flatMap((key) => [...filesOf(app, reach(app, key, "at once"), "js")]));
  const own = [...filesOf(app, reach(app, plot[0] ?? "", "at once"), "js")].filter((file) => !shared.has(file));
  expect(await gzipped(own)).toBeLessThan(26 * kB);
});

describe("the public pages", () => {
  test("load little script and little style, and the script of an island is small", async () => {
    const main = filesOf(site, reach(site, "src/site/main.ts", "at once"), "js");
    expect(await gzipped(main)).toBeLessThan(8.5 * kB);
    for (const key of Object.keys(site).filter((each) => each.startsWith("src/site/islands/"))) {
      const files = new Set([...main, ...filesOf(site, reach(site, key, "at once"), "js")]);
      // The table of models searches, sorts and compares hundreds of rows; a page has one island that is as large.
      const most = key.endsWith("/model-table.tsx") ? 16 * kB : 11 * kB;
      expect({ key, isWithin: (await gzipped(files)) < most }).toEqual({ key, isWithin: true });
    }
    expect(await gzipped([site["src/site/site.css"]?.file ?? ""])).toBeLessThan(10 * kB);
    expect(await gzipped([site["src/forms/forms.css"]?.file ?? ""])).toBeLessThan(8 * kB);
  });
});

describe("nothing that the admin ever loads", () => {
  /** A marker for each thing that it must not contain. */
  const marks: Readonly<Record<string, RegExp>> = {
    "a language switcher": /chooseLocale|navigator\.languages|hreflang|日本語|العربية|Español/,
    "a support widget": /support-widget|widget-token|data-widget/,
    // What measures, and not the columns of the report about it, like `page_views`.
    analytics: /\/backend\/analytics\/|["'`](page_view|cta_click)["'`]|sendBeacon/,
  };

  test.each(Object.keys(marks))("contains %s", async (name) => {
    const files = filesOf(app, reach(app, "src/admin/main.tsx", "everything"), "js");
    expect(files.size).toBeGreaterThan(3);
    const boot = app["src/shell/boot-app.ts"]?.file ?? "";
    const document = await readFile(join(client, "admin.html"), "utf8");
    const texts = await Promise.all([...files, boot].map((file) => readFile(join(client, file), "utf8")));
    const found = [document, ...texts].flatMap((text) => text.match(marks[name] ?? /^/) ?? []);
    expect(found).toEqual([]);
  });

  test("comes from modules of the site or the console", () => {
    const keys = [...reach(app, "src/admin/main.tsx", "everything")];
    expect(keys.filter((key) => /^src\/(site|console)\//.test(key))).toEqual([]);
  });

  test("is missed by this check, which finds the language menu in the console", async () => {
    const files = filesOf(app, reach(app, "src/console/main.tsx", "everything"), "js");
    const texts = await Promise.all([...files].map((file) => readFile(join(client, file), "utf8")));
    expect(texts.some((text) => /العربية/.test(text))).toBe(true);
  });
});

test("no bundle contains the checks of the backend, or anything that only a server needs", async () => {
  const files = [...new Set([...Object.values(app), ...Object.values(site)].map(({ file }) => file))];
  const scripts = files.filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(scripts.map((file) => readFile(join(client, file), "utf8")));
  expect(texts.filter((text) => /ZodError|unrecognized_keys|DATABASE_URL|postgres:\/\//.test(text))).toEqual([]);
});

test("a second build of the same sources does nothing, and prints its path", async () => {
  const first = await builtWeb();
  const startedAt = performance.now();
  expect(await builtWeb()).toBe(first);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
