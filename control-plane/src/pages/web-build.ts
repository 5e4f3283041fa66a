import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AppPage } from "@sluice/contracts/app-page";
import { fileOf, type StaticFile, type StoredFile } from "../platform/static-file.ts";
import { AppPages } from "./app-pages.ts";
import { findStaticFiles, keptFile, type StaticFiles } from "./static-files.ts";

/** A build of the web UI, as `web/build` produces it. */
export type WebBuild = {
  /** The name of the build, which changes with its sources. */
  readonly hash: string;
  /** What browsers may cache forever: paths that begin with `/assets/`. */
  readonly assets: StaticFiles;
  readonly console: Application;
  readonly admin: Application;
  readonly kit: Application;
  /** The files that the forms of the control plane load. */
  readonly forms: FormAssets;
  /** The path of the script that identifies the logged-in user to the support widget. */
  readonly supportContext: string;
  /** The program that renders the public pages. */
  readonly prerender: string;
};

/** An application: the document of all its pages, and the pages. */
export type Application = { readonly document: StaticFile; readonly pages: AppPages };

/** The paths of the files that the forms load. */
export type FormAssets = {
  readonly stylesheet: string;
  readonly boot: string;
  readonly icon: string;
  /** The script that counts visits. */
  readonly landing: string;
  /** The script that solves the proof of work of a registration. */
  readonly proveWork: string;
  /** The script that logs in with a passkey. */
  readonly showPasskey: string;
};

type Manifest = Readonly<Record<string, { readonly file: string }>>;

/** The name of the current build, or null when there is none. */
export async function readCurrentBuild(directory: string): Promise<string | null> {
  const name = (await readFile(join(directory, "current"), "utf8").catch(() => "")).trim();
  return /^[0-9a-f]{16}$/.test(name) ? name : null;
}

/**
 * The current build, whose folder a newer one on the disk does not change; null when there is none. Its files are read
 * when they are sent.
 * @throws Error when it is incomplete
 */
export async function openWebBuild(directory: string): Promise<WebBuild | null> {
  const hash = await readCurrentBuild(directory);
  if (hash === null) {
    return null;
  }
  const folder = join(directory, hash);
  const all = await findStaticFiles(join(folder, "client"));
  const file = (path: string): StoredFile => {
    const found = all.get(path);
    if (found === undefined) {
      throw new Error(`the build of the web in ${folder} has no ${path}`);
    }
    return found;
  };
  const manifest = JSON.parse(await Bun.file(file("/manifest-site.json").bytes).text()) as Manifest;
  const address = (key: string): string => {
    const found = manifest[key];
    if (found === undefined) {
      throw new Error(`the build of the web in ${folder} has no ${key}`);
    }
    return `/${found.file}`;
  };
  const pages = JSON.parse(await Bun.file(file("/app-pages.json").bytes).text()) as Readonly<
    Record<"console" | "admin", readonly AppPage[]>
  >;
  return {
    hash,
    assets: new Map([...all].filter(([path]) => path.startsWith("/assets/"))),
    console: { document: await keptFile(file("/console.html")), pages: new AppPages(pages.console) },
    admin: { document: await keptFile(file("/admin.html")), pages: new AppPages(pages.admin) },
    kit: { document: await keptFile(file("/kit.html")), pages: new AppPages([]) },
    forms: {
      stylesheet: address("src/forms/forms.css"),
      boot: address("src/site/boot-site.ts"),
      icon: address("src/site/icon.svg"),
      landing: address("src/site/landing.ts"),
      proveWork: address("src/forms/prove-work.ts"),
      showPasskey: address("src/forms/show-passkey.ts"),
    },
    supportContext: address("src/site/support-context.ts"),
    prerender: join(folder, "server/prerender.js"),
  };
}

/** Shown on the pages of a checkout whose web UI was not built. */
export const unbuiltPage: StaticFile = fileOf(
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not built</title><h1>Not built</h1><p>The web pages are not built here. The API is at <code>/v1</code>.</p></html>
`,
  "text/html; charset=utf-8",
);
