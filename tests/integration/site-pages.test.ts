import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { SitePages } from "@sluice/control-plane/pages/site-pages.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { storedFileResponse } from "@sluice/control-plane/platform/static-file.ts";
import { findProcesses } from "../support/service/start-process.ts";

let home = "";

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "site-pages-"));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

/** Pages that this program draws, of a service with the name that `brand` returns. */
async function openPages(program: string, brand: () => string, lines: string[] = []): Promise<SitePages> {
  const prerender = join(home, "prerender.js");
  await writeFile(prerender, program);
  return new SitePages({
    prerender,
    buildHash: "1",
    directory: join(home, "site"),
    readCatalogue: () =>
      Promise.resolve({
        brand: { name: brand(), support_address: "", says_powered_by: false, legal: [] },
        announcement: null,
        models: [],
        plans: [],
      } as unknown as SiteCatalogue),
    log: createLog("info", (line) => lines.push(line)),
  });
}

test("a page is read when it is sent, and again from a newer state if another process has removed the one that was shown", async () => {
  let brand = "first";
  const program = `
    const { catalogue, directory } = await Bun.stdin.json();
    await Bun.write(directory + "/index.html", catalogue.brand.name);
    await Bun.write(directory + "/404.html", "none at " + catalogue.brand.name);`;
  const pages = await openPages(program, () => brand);
  const read = async (): Promise<string> => {
    const found = await pages.find("/");
    const request = new Request("http://h/");
    return found === null ? "none" : await (await storedFileResponse(request, found, { headers: {} })).text();
  };
  expect(await read()).toBe("first");
  const other = await openPages(program, () => brand);
  for (brand of ["second", "third", "fourth"]) {
    await other.refresh();
  }
  expect(await readdir(join(home, "site"))).toHaveLength(3);
  expect(new TextDecoder().decode(pages.notFound("/missing/")?.bytes)).toBe("none at first");
  expect(await read()).toBe("fourth");
  await Promise.all([pages.stop(), other.stop()]);
});

test("pages of errors stay while the state that was shown is gone and no other can be drawn", async () => {
  let brand = (): string => "first";
  const pages = await openPages(
    `const { directory } = await Bun.stdin.json();
    for (const name of ["index", "404", "unavailable"]) await Bun.write(directory + "/" + name + ".html", name);`,
    () => brand(),
  );
  expect(await pages.find("/")).not.toBeNull();
  brand = () => {
    throw new Error("no database");
  };
  await rm(join(home, "site"), { recursive: true });
  await pages.find("/");
  expect([pages.notFound("/missing/"), pages.unavailable("/")]).toMatchObject([
    { contentType: "text/html; charset=utf-8" },
    { contentType: "text/html; charset=utf-8" },
  ]);
  brand = () => "first";
  await pages.refresh();
  expect(existsSync((await pages.find("/"))?.bytes ?? "")).toBe(true);
  await pages.stop();
});

test("drafts of processes that were killed are removed, and one that is still drawn stays", async () => {
  const [killed = "", drawn = ""] = ["1", "2"].map((pid) => join(home, "site", `${"0".repeat(32)}.${pid}.tmp`));
  await Promise.all([killed, drawn].map((draft) => mkdir(draft, { recursive: true })));
  await utimes(killed, 0, 0);
  const pages = await openPages(
    `await Bun.write((await Bun.stdin.json()).directory + "/index.html", "");`,
    () => "Sluice",
  );
  await pages.refresh();
  expect([killed, drawn].map((draft) => existsSync(draft))).toEqual([false, true]);
  await pages.stop();
});

test("a stop while the pages are rendered ends the program that renders them, and leaves no draft", async () => {
  const begun = join(home, "begun");
  const lines: string[] = [];
  const program = `await Bun.write(${JSON.stringify(begun)}, ""); await Bun.sleep(60_000);`;
  const pages = await openPages(program, () => "Sluice", lines);
  void pages.refresh();
  while (!existsSync(begun)) {
    await Bun.sleep(5);
  }
  await pages.stop();
  const prerender = join(home, "prerender.js");
  expect(findProcesses(prerender)).toEqual([]);
  expect(await readdir(join(home, "site"))).toEqual([]);
  await pages.refresh();
  expect(findProcesses(prerender)).toEqual([]);
  expect(lines).toEqual([]);
});
