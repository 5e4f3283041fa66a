/**
 * `bun run lighthouse`: what Lighthouse says about every page in `tests/shots/pages.ts`, with rows in every list, on a
 * simulated phone and network. Words on the command line choose pages by their names; `RUNS=3` measures each three
 * times and shows the middle. The table goes to stdout; results and reports are in `.data/lighthouse`. `TASKS=1` measures the
 * processor time of the page's tasks instead, which can be compared on a machine that does other work.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Browser } from "playwright-core";
import { fillHouse } from "../shots/full-house.ts";
import { type ShownPage, shownPages } from "../shots/pages.ts";
import { startTestCluster } from "../support/postgres/test-cluster.ts";
import { launchChromium } from "../support/web/chromium.ts";
import { shownEmail, startWebRig, type WebRig } from "../support/web/web-rig.ts";
import { findLighthouse } from "./install.ts";
import { middleOf, type PageResult, resultOf, tableOf } from "./results.ts";
import { measureTasks, type TaskTimes, tableOfTasks } from "./task-times.ts";

const folder = join(import.meta.dir, "../../.data/lighthouse");
const pageMsMax = 180_000;
const outputMax = 2_000;

type Measurement = {
  readonly program: string;
  readonly browser: Browser;
  readonly debuggingPort: number;
  readonly web: WebRig;
};

async function measure(measurement: Measurement, shown: ShownPage): Promise<PageResult> {
  const { program, debuggingPort, web } = measurement;
  const report = join(folder, `${shown.name}.json`);
  await logIn(measurement, shown.as);
  const child = Bun.spawn(
    [
      process.execPath,
      "--bun",
      program,
      `${web.sluice.url}${shown.path}`,
      `--port=${debuggingPort}`,
      "--output=json",
      `--output-path=${report}`,
      // What needs a login is closed to search engines on purpose.
      `--only-categories=performance,accessibility,best-practices${shown.as === "nobody" ? ",seo" : ""}`,
      "--no-enable-error-reporting",
      "--ignore-status-code",
      "--quiet",
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "pipe", timeout: pageMsMax, killSignal: "SIGKILL" },
  );
  const [errors, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) {
    throw new Error(`Lighthouse ended with ${exitCode} at ${shown.path}: ${errors.slice(-outputMax)}`);
  }
  const found: unknown = await Bun.file(report).json();
  const { finalDisplayedUrl } = found as { readonly finalDisplayedUrl: string };
  if (new URL(finalDisplayedUrl).pathname !== new URL(shown.path, web.sluice.url).pathname) {
    throw new Error(`Lighthouse was led from ${shown.path} to ${finalDisplayedUrl}`);
  }
  return resultOf(shown.name, found);
}

/** In the browser itself: the cookies that pages set replace a header that is added to every request. */
async function logIn({ browser, web }: Measurement, as: ShownPage["as"]): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  try {
    await session.send("Storage.clearCookies");
    const [name = "", value = ""] = web.cookies[as]?.split("=") ?? [];
    if (name !== "") {
      await session.send("Storage.setCookies", { cookies: [{ name, value, url: web.sluice.url }] });
    }
  } finally {
    await session.detach();
  }
}

/** Real pages; the others in the list of screenshots are states of one. */
function isMeasured({ path, as }: ShownPage, words: readonly string[], name: string): boolean {
  const isPage = !path.includes("?") && !path.startsWith("/__") && !(as === "user" && path === "/login/");
  return words.length === 0 ? isPage : words.some((word) => name.includes(word));
}

async function scorePages(measurement: Measurement, pages: readonly ShownPage[], runs: number): Promise<void> {
  const results: PageResult[] = [];
  for (const shown of pages) {
    const measured: PageResult[] = [];
    for (let run = 0; run < runs; run += 1) {
      measured.push(await measure(measurement, shown));
    }
    const result = middleOf(measured);
    results.push(result);
    process.stdout.write(`${tableOf([result], results.length === 1)}\n`);
  }
  await writeFile(join(folder, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(`in ${folder}\n`);
}

async function timePages({ browser, web }: Measurement, pages: readonly ShownPage[], runs: number): Promise<void> {
  for (const [index, { name, path, as }] of pages.entries()) {
    const measured: TaskTimes[] = [];
    for (let run = 0; run < runs; run += 1) {
      measured.push(await measureTasks(browser, `${web.sluice.url}${path}`, web.cookies[as]));
    }
    process.stdout.write(`${tableOfTasks(name, measured, index === 0)}\n`);
  }
}

async function main(words: readonly string[]): Promise<void> {
  const { RUNS = "1", TASKS } = process.env;
  const program = TASKS === "1" ? "" : findLighthouse();
  await mkdir(folder, { recursive: true });
  const cluster = process.env["TEST_POSTGRES_URL"] === undefined ? await startTestCluster() : null;
  if (cluster !== null) {
    process.env["TEST_POSTGRES_URL"] = cluster.url;
  }
  const web = await startWebRig();
  const debuggingPort = await findFreePort();
  const browser = await launchChromium([`--remote-debugging-port=${debuggingPort}`]);
  try {
    await fillHouse(web.rig, shownEmail);
    const pages = shownPages.filter((each) => isMeasured(each, words, each.name));
    await (TASKS === "1" ? timePages : scorePages)({ program, browser, debuggingPort, web }, pages, Number(RUNS));
  } finally {
    await browser.close();
    await web.close();
    await cluster?.destroy();
  }
}

await main(process.argv.slice(2));
