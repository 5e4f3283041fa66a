import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { SitePages } from "@sluice/control-plane/pages/site-pages.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { findProcesses } from "../support/service/start-process.ts";

test("a stop while the pages are rendered ends the program that renders them, and leaves no draft", async () => {
  const home = await mkdtemp(join(tmpdir(), "site-pages-"));
  const directory = join(home, "site");
  const begun = join(home, "begun");
  const prerender = join(home, "prerender.js");
  await writeFile(prerender, `await Bun.write(${JSON.stringify(begun)}, ""); await Bun.sleep(60_000);`);
  const lines: string[] = [];
  try {
    const pages = new SitePages({
      prerender,
      buildHash: "1",
      directory,
      readCatalogue: () =>
        Promise.resolve({
          brand: { name: "Sluice", support_address: "", says_powered_by: false, legal: [] },
          announcement: null,
          models: [],
          plans: [],
        } as unknown as SiteCatalogue),
      log: createLog("info", (line) => lines.push(line)),
    });
    void pages.refresh();
    while (!existsSync(begun)) {
      await Bun.sleep(5);
    }
    await pages.stop();
    expect(findProcesses(prerender)).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
    await pages.refresh();
    expect(findProcesses(prerender)).toEqual([]);
    expect(lines).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
