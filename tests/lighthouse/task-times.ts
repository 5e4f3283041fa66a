import type { Browser } from "playwright-core";

/** What the main thread of a page did while it was loaded, in milliseconds of its processor time. */
export type TaskTimes = {
  readonly cpuMs: number;
  /** What of each task is above 50 ms on a processor that is a quarter as fast, summed up from the first paint on. */
  readonly blockedMs: number;
  readonly longestMs: number;
  readonly elements: number;
};

/** Of a trace; times are in microseconds, and `tdur` is processor time. */
type TraceEvent = {
  readonly name: string;
  readonly ts: number;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly data?: { readonly documentLoaderURL?: string } };
};

const slowdown = 4;
const blockingMsMin = 50;
const settledMs = 2_500;
const categories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "blink.user_timing"];
const phone = { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true };

/**
 * Loads a page in a profile of its own, as the phone that Lighthouse simulates. Processor time depends far less on what else the
 * machine does than the clock, so these figures can be compared where those of Lighthouse cannot.
 * @param url of the page
 * @param cookie of a login: `name=value`
 */
export async function measureTasks(browser: Browser, url: string, cookie: string | undefined): Promise<TaskTimes> {
  const context = await browser.newContext(phone);
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  try {
    const [name = "", value = ""] = cookie?.split("=") ?? [];
    // For the whole service, not only for what is below the page.
    await context.addCookies(name === "" ? [] : [{ name, value, url: new URL("/", url).href }]);
    const page = await context.newPage();
    session.on("Tracing.dataCollected", (part) => events.push(...(part.value as unknown as TraceEvent[])));
    await session.send("Tracing.start", { transferMode: "ReportEvents", categories: ["-*", ...categories].join(",") });
    await page.goto(url, { waitUntil: "networkidle" });
    await page.waitForTimeout(settledMs);
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
    return { ...timesOf(events, url), elements };
  } finally {
    await session.detach();
    await context.close();
  }
}

function timesOf(events: readonly TraceEvent[], url: string): Omit<TaskTimes, "elements"> {
  const begin = events.findLast(
    ({ name, args }) => name === "navigationStart" && args.data?.documentLoaderURL?.startsWith(url) === true,
  );
  if (begin === undefined) {
    throw new Error(`the trace has no navigation to ${url}`);
  }
  const own = events.filter(({ pid, tid, ts }) => pid === begin.pid && tid === begin.tid && ts >= begin.ts);
  const paintedAt = own.find(({ name }) => name === "firstContentfulPaint")?.ts ?? begin.ts;
  const tasks = own.flatMap(({ name, ts, tdur }) =>
    name === "RunTask" && tdur !== undefined ? [{ ts, ms: tdur / 1_000 }] : [],
  );
  return {
    cpuMs: tasks.reduce((sum, { ms }) => sum + ms, 0),
    blockedMs: tasks
      .filter(({ ts }) => ts >= paintedAt)
      .reduce((sum, { ms }) => sum + Math.max(0, ms * slowdown - blockingMsMin), 0),
    longestMs: Math.max(0, ...tasks.map(({ ms }) => ms)),
  };
}

/** A table in Markdown: the middle of the runs of each figure. */
export function tableOfTasks(name: string, runs: readonly TaskTimes[], hasHead: boolean): string {
  const middle = (key: keyof TaskTimes): string =>
    (runs.map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor((runs.length - 1) / 2)] ?? 0).toFixed();
  const head = [
    "| page | main thread, ms | blocked, ms | longest task, ms | elements |",
    "| --- | --: | --: | --: | --: |",
  ];
  const row = `| ${[name, middle("cpuMs"), middle("blockedMs"), middle("longestMs"), middle("elements")].join(" | ")} |`;
  return [...(hasHead ? head : []), row].join("\n");
}
