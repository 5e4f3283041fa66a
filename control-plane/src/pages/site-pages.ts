import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PrerenderOrder, SiteCatalogue } from "@sluice/contracts/site-catalogue";
import type { Log } from "../platform/log.ts";
import { isOneFile } from "../platform/program-files.ts";
import type { StaticFile, StoredFile } from "../platform/static-file.ts";
import { findStaticFiles, keptFile, type StaticFiles } from "./static-files.ts";

export type SitePagesDeps = {
  /** The program of the build that renders the pages. */
  readonly prerender: string;
  readonly buildHash: string;
  /** The folder of the pages, with a subfolder for each state of the catalog. */
  readonly directory: string;
  readonly readCatalogue: () => Promise<SiteCatalogue>;
  readonly log: Log;
};

const refreshMs = 15_000;
const drawMsMax = 60_000;
/** An older draft was left by a process that was killed. */
const draftMsMax = 10 * drawMsMax;
const outputMax = 2_000;
/** Two builds may draw into one folder during an upgrade, and each change of the catalog is a state. */
const keptStates = 3;
/** Pages of errors, and frames that others write into: kept in memory. */
const keptPage = /\/(404|unavailable|api-description)\.html$/;

type ShownState = {
  readonly name: string;
  readonly files: StaticFiles;
  readonly kept: ReadonlyMap<string, StaticFile>;
};

/**
 * The public pages of the current catalog. A separate program renders them into a folder named after their inputs, so
 * that processes on one disk share it and never see an incomplete one; pages are read from there when they are sent. Until
 * new pages exist, the old ones are served; after a failure, which is logged, they remain.
 */
export class SitePages {
  readonly #deps: SitePagesDeps;
  #shown: ShownState | null = null;
  #drawing: Promise<void> | null = null;
  #isAskedAgain = false;
  #timer: Timer | null = null;
  readonly #stopping = new AbortController();

  constructor(deps: SitePagesDeps) {
    this.#deps = deps;
  }

  /** Starts rendering the pages, and checking whether they are up to date; `refresh` checks immediately. */
  start(): void {
    void this.refresh();
    this.#timer = setInterval(() => void this.refresh(), refreshMs);
  }

  /** The page at a path such as `/pricing/`; null when there is none. Waits for the first ones to be rendered. */
  async find(path: string): Promise<StoredFile | null> {
    if (this.#shown === null) {
      await this.refresh();
    }
    if (path.endsWith(".html")) {
      return null;
    }
    const found = this.#storedPage(path);
    if (found === null || (await Bun.file(found.bytes).exists())) {
      return found;
    }
    // Another process has removed this state, after it had drawn newer ones.
    await this.refresh();
    return this.#storedPage(path);
  }

  #storedPage(path: string): StoredFile | null {
    return this.#shown?.files.get(path.endsWith("/") ? `${path}index.html` : path) ?? null;
  }

  /** The page around the description of the API. Waits for the first pages to be rendered; null if that failed. */
  async apiFrame(): Promise<StaticFile | null> {
    if (this.#shown === null) {
      await this.refresh();
    }
    return this.#shown?.kept.get("/api-description.html") ?? null;
  }

  /** The page for a path that does not exist, in the path's language. */
  notFound(path: string): StaticFile | null {
    return this.#inLanguageOf(path, "404.html");
  }

  /** The page that replaces one that failed, in the path's language; null before any page was rendered. */
  unavailable(path: string): StaticFile | null {
    return this.#inLanguageOf(path, "unavailable.html");
  }

  #inLanguageOf(path: string, name: string): StaticFile | null {
    const language = /^\/[a-z]{2}(?=\/|$)/.exec(path)?.[0] ?? "";
    return this.#shown?.kept.get(`${language}/${name}`) ?? this.#shown?.kept.get(`/${name}`) ?? null;
  }

  /**
   * Re-renders the pages if the catalog has changed, one run at a time. A call during a run requests one more run.
   */
  refresh(): Promise<void> {
    if (this.#stopping.signal.aborted) {
      return Promise.resolve();
    }
    if (this.#drawing !== null) {
      this.#isAskedAgain = true;
      return this.#drawing;
    }
    this.#drawing = this.#drawUntilCurrent().finally(() => {
      this.#drawing = null;
    });
    return this.#drawing;
  }

  /** Ends a program that is rendering, and leaves nothing of it behind. */
  async stop(): Promise<void> {
    if (this.#timer !== null) {
      clearInterval(this.#timer);
    }
    this.#stopping.abort();
    await this.#drawing;
  }

  async #drawUntilCurrent(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      try {
        await this.#draw();
      } catch (error) {
        if (!this.#stopping.signal.aborted) {
          this.#deps.log.error("site.draw_failed", { error });
        }
        return;
      }
    } while (this.#isAskedAgain && !this.#stopping.signal.aborted);
  }

  async #draw(): Promise<void> {
    const { readCatalogue, buildHash, directory, log } = this.#deps;
    const catalogue = await readCatalogue();
    const name = new Bun.CryptoHasher("sha256")
      .update(JSON.stringify([buildHash, catalogue]))
      .digest("hex")
      .slice(0, 32);
    const folder = join(directory, name);
    if (this.#shown?.name === name && existsSync(folder)) {
      return;
    }
    const startedAt = performance.now();
    let files = await findStaticFiles(folder).catch(() => null);
    if (files === null) {
      await this.#writePages(folder, catalogue);
      files = await findStaticFiles(folder);
      log.info("site.drawn", { files: files.size, ms: Math.round(performance.now() - startedAt) });
    }
    const kept = [...files].filter(([path]) => keptPage.test(path));
    this.#shown = {
      name,
      files,
      kept: new Map(await Promise.all(kept.map(async ([path, file]) => [path, await keptFile(file)] as const))),
    };
    await removeOldStates(directory, name);
  }

  async #writePages(folder: string, catalogue: SiteCatalogue): Promise<void> {
    const draft = `${folder}.${process.pid}.tmp`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    try {
      await this.#runPrerender({ catalogue, directory: draft });
      await rename(draft, folder).catch(async (error: unknown) => {
        // Another process has rendered the same pages first.
        if (!existsSync(folder)) {
          throw error;
        }
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #runPrerender(order: PrerenderOrder): Promise<void> {
    // The child gets nothing of our environment.
    const child = Bun.spawn([process.execPath, ...(isOneFile ? ["draw-pages"] : []), this.#deps.prerender], {
      env: {},
      stdin: new TextEncoder().encode(JSON.stringify(order)),
      stdout: "ignore",
      stderr: "pipe",
      timeout: drawMsMax,
      signal: this.#stopping.signal,
      killSignal: "SIGKILL",
    });
    const [output, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
    if (exitCode !== 0) {
      throw new Error(`the program that draws the pages ended with ${exitCode}: ${output.slice(0, outputMax)}`);
    }
  }
}

/** The oldest ones; a process that still shows one of them finds the new one when it next reads a page. */
async function removeOldStates(directory: string, current: string): Promise<void> {
  const names = (await readdir(directory)).filter(
    (name) => /^[0-9a-f]{32}(\.\d+\.tmp)?$/.test(name) && name !== current,
  );
  const entries = await Promise.all(
    names.map(async (name) => ({
      name,
      drawnAt: (await lstat(join(directory, name)).catch(() => null))?.mtimeMs ?? 0,
    })),
  );
  const drafts = entries.filter(({ name, drawnAt }) => name.endsWith(".tmp") && Date.now() - drawnAt > draftMsMax);
  await Promise.all(drafts.map(({ name }) => rm(join(directory, name), { recursive: true, force: true })));
  const states = entries.filter(({ name }) => !name.endsWith(".tmp")).sort((a, b) => b.drawnAt - a.drawnAt);
  for (const { name } of states.slice(keptStates - 1)) {
    // Renamed first: files removed one by one would leave half a page to its readers.
    const removed = join(directory, `${name}.${process.pid}.tmp`);
    await rename(join(directory, name), removed).catch(() => undefined);
    await rm(removed, { recursive: true, force: true });
  }
}
