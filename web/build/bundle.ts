import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type InlineConfig, type Plugin } from "vite";
import solid from "vite-plugin-solid";
import { chunkOfModule } from "./app-chunks.ts";
import { appDocument } from "./app-document.ts";
import type { AppManifest } from "./app-manifest.ts";
import { appPages, type ConsoleHeadTexts } from "./app-pages.ts";
import { type SocialTitle, writeSocialImages } from "./social/social-images.ts";
import { settings } from "./vite.config.ts";

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Fonts and images are compressed already. */
const compressible = /\.(js|css|svg|html)$/;

/**
 * Builds everything into a folder: `client` with what browsers fetch, `server` with the program that renders the public
 * pages. The site is built separately from the applications, because only its parts are prerendered.
 */
export async function bundle(webRoot: string, folder: string): Promise<void> {
  const client = join(folder, "client");
  const shared: InlineConfig = { ...settings, root: webRoot };
  await Promise.all([
    build({
      ...shared,
      plugins: [solid({ ssr: true }), withoutStyles()],
      build: clientBuild(shared, client, "manifest-site.json", {
        site: "src/site/main.ts",
        landing: "src/site/landing.ts",
        "support-context": "src/site/support-context.ts",
        "site-styles": "src/site/site.css",
        forms: "src/forms/forms.css",
        "prove-work": "src/forms/prove-work.ts",
        "show-passkey": "src/forms/show-passkey.ts",
        "api-page": "src/api-page/main.ts",
        "api-page-styles": "src/api-page/api-page.css",
        icon: "src/site/icon.svg",
        "boot-site": "src/site/boot-site.ts",
        "docs-tools": "src/site/docs/docs-tools.ts",
      }),
    }),
    build({
      ...shared,
      plugins: [solid()],
      build: withChunks(
        clientBuild(shared, client, "manifest-app.json", {
          console: "src/console/main.tsx",
          admin: "src/admin/main.tsx",
          kit: "src/kit-page/main.tsx",
          "boot-app": "src/shell/boot-app.ts",
        }),
      ),
    }),
    build({
      ...shared,
      plugins: [solid({ ssr: true }), withoutStyles()],
      build: {
        ...shared.build,
        ssr: true,
        outDir: join(folder, "server"),
        rolldownOptions: {
          input: {
            prerender: "prerender/main.ts",
            "social-titles": "prerender/social-titles.ts",
            "console-heads": "prerender/console-heads.ts",
          },
        },
      },
      // The page renderer is self-contained: it runs from the folder of the build.
      ssr: { noExternal: true, target: "node" },
    }),
  ]);
  const titles = printedBy<readonly SocialTitle[]>(join(folder, "server/social-titles.js"));
  await writeSocialImages(titles, { client, cache: join(webRoot, "dist/social") });
  await writeDocuments(client, printedBy<readonly ConsoleHeadTexts[]>(join(folder, "server/console-heads.js")));
  await compressAll(client);
}

/** Only a program of the build can list and run compiled pages and texts, so it prints what the build wants of them, as JSON. */
function printedBy<Printed>(program: string): Printed {
  const child = Bun.spawnSync([process.execPath, program], {
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  if (!child.success) {
    throw new Error(`${program} failed: ${child.stderr.toString()}`);
  }
  return JSON.parse(child.stdout.toString()) as Printed;
}

/** The site's pages have one stylesheet, `site.css`; imports of their parts for the applications are dropped. */
function withoutStyles(): Plugin {
  return {
    name: "without-styles",
    enforce: "pre",
    resolveId: (source, importer) =>
      source.endsWith(".css") && importer !== undefined && /\.tsx?$/.test(importer) ? "\0no-styles" : null,
    load: (id) => (id === "\0no-styles" ? "" : null),
  };
}

function clientBuild(
  { build: base }: InlineConfig,
  outDir: string,
  manifest: string,
  input: Readonly<Record<string, string>>,
): NonNullable<InlineConfig["build"]> {
  return {
    ...base,
    outDir,
    manifest,
    assetsInlineLimit: 0,
    rolldownOptions: { input: { ...input } },
  };
}

/** The applications in few chunks. */
function withChunks(options: NonNullable<InlineConfig["build"]>): NonNullable<InlineConfig["build"]> {
  const codeSplitting = { groups: [{ name: chunkOfModule }], includeDependenciesRecursively: false };
  return { ...options, rolldownOptions: { ...options.rolldownOptions, output: { codeSplitting } } };
}

async function writeDocuments(client: string, heads: readonly ConsoleHeadTexts[]): Promise<void> {
  const manifest = JSON.parse(await readFile(join(client, "manifest-app.json"), "utf8")) as AppManifest;
  for (const area of ["console", "admin", "kit"] as const) {
    await writeFile(join(client, `${area}.html`), appDocument(area, manifest));
  }
  await writeFile(join(client, "app-pages.json"), JSON.stringify(appPages(manifest, heads)));
}

async function compressAll(client: string): Promise<void> {
  const names = (await readdir(client, { recursive: true })).filter((name) => compressible.test(name));
  await Promise.all(
    names.map(async (name) => {
      const file = join(client, name);
      const bytes = await readFile(file);
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      await writeFile(`${file}.br`, await compressBrotli(bytes, { params }));
      await writeFile(`${file}.gz`, await compressGzip(bytes, { level: 9 }));
    }),
  );
}
