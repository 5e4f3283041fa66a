import { join } from "node:path";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { patienceMs } from "../values/patience.ts";
import { launchChromium } from "./chromium.ts";

const axeFile = join(import.meta.dir, "../../node_modules/axe-core/axe.min.js");
const axeTags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

const { TEST_FULL } = process.env;
/**
 * Pages of tests are shown for a second: in an ordinary run the browser compiles none of their functions for speed and collects
 * garbage in one thread, which takes an eighth off the processor time of a page that axe goes through.
 */
const briefPages: readonly string[] = TEST_FULL === "1" ? [] : ["--js-flags=--single-threaded --no-opt --no-maglev"];

export type PageOptions = {
  /** The program's URL; every request elsewhere is a fault. */
  readonly url: string;
  /** Of a login, as `tests/support/accounts/logins.ts` gives it: `name=value`. */
  readonly cookie?: string;
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** A phone or a tablet: fingers instead of a mouse. */
  readonly isTouch?: boolean;
  /** The language that the browser remembers; for a user who is logged in, `WebRig.speak` sets the one that counts. */
  readonly locale?: string;
  readonly hasScript?: boolean;
  /** What the browser remembers of earlier visits. */
  readonly preferences?: Readonly<Record<string, string>>;
  /** Responses with these statuses are what the test is about; others from 400 on are faults. */
  readonly expectedStatuses?: readonly number[];
  /** Pages of another program that the test leads to, such as the hosted page of a gateway. */
  readonly hostedUrl?: string;
};

/** A page that records everything that must not happen in it. */
export type WatchedPage = {
  readonly page: Page;
  /** Script errors, console warnings, requests to other origins, failed responses. */
  readonly faults: readonly string[];
  /**
   * What axe finds, a line for each kind of fault with its locations. Call it when nothing moves. An ordinary run compares
   * colours only where the test asks for it, as that is a third of the work, and looks only there at the links of the sidebar,
   * which are half of an admin page and the same in each; `colorPages` says where.
   */
  readonly axe: (asked?: { readonly withColors?: boolean }) => Promise<string[]>;
  readonly close: () => Promise<void>;
};

/** One browser for a file of tests. */
export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    return new TestBrowser(await launchChromium(briefPages));
  }

  /** A page with its own profile. Animations are off, so that results do not depend on timing. */
  async open(options: PageOptions): Promise<WatchedPage> {
    const { url, cookie, locale, preferences } = options;
    const context = await this.#browser.newContext(contextOptions(options));
    context.setDefaultTimeout(patienceMs);
    if (cookie !== undefined) {
      const [name = "", value = ""] = cookie.split("=");
      await context.addCookies([{ name, value, url }]);
    }
    if (locale !== undefined) {
      await context.addCookies([{ name: "SVC_LANG", value: locale, url }]);
    }
    if (preferences !== undefined) {
      await context.addInitScript((kept) => {
        for (const [key, value] of Object.entries(kept)) {
          localStorage.setItem(key, value);
        }
      }, preferences);
    }
    const page = await context.newPage();
    const faults: string[] = [];
    watch(page, options, faults);
    return {
      page,
      faults,
      axe: ({ withColors = false } = {}) => runAxe(page, withColors || TEST_FULL === "1"),
      close: () => context.close(),
    };
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

function contextOptions({
  url,
  width = 1280,
  height = 800,
  isDark,
  isTouch = false,
  hasScript,
}: PageOptions): BrowserContextOptions {
  return {
    baseURL: url,
    viewport: { width, height },
    hasTouch: isTouch,
    isMobile: isTouch,
    colorScheme: isDark === true ? "dark" : "light",
    reducedMotion: "reduce",
    javaScriptEnabled: hasScript !== false,
    locale: "en-US",
    timezoneId: "UTC",
    serviceWorkers: "block",
  };
}

function watch(page: Page, { url, expectedStatuses = [], hostedUrl = url }: PageOptions, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("console", (message) => {
    // The browser logs failed responses by itself; the status is checked below.
    if (["error", "warning"].includes(message.type()) && !message.text().startsWith("Failed to load resource")) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    const isKnown = [url, hostedUrl].some((known) => request.url().startsWith(known));
    if (!isKnown && !/^(data|blob):/.test(request.url())) {
      faults.push(`request to another place: ${request.url()}`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && !expectedStatuses.includes(response.status())) {
      faults.push(`${response.status()} of ${response.url()}`);
    }
  });
}

type AxeNode = { readonly target: readonly unknown[]; readonly failureSummary?: string };
type AxeViolation = { readonly id: string; readonly help: string; readonly nodes: readonly AxeNode[] };
type AxeResult = { readonly violations: readonly AxeViolation[] };
type AxeWindow = { readonly axe: { run(where: object, options: object): Promise<AxeResult> } };

/** The links to all pages, unless they are opened over a page, as on a phone. */
const sidebarLinks = ".sidebar[data-open=false] .nav-link";
/** The rules that compare colours. */
const withoutColors = { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } };

/** They end with their pages: one that ends before takes the virtual authenticator of its page along. */
const sessions = new WeakMap<Page, CDPSession>();

async function runAxe(page: Page, hasColors: boolean): Promise<string[]> {
  // Bypasses the page's policy, which allows no other script: the test is not part of the page.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    // Playwright would wrap the script into one of its own, which takes half as much time again.
    const devtools = sessions.get(page) ?? (await page.context().newCDPSession(page));
    sessions.set(page, devtools);
    await devtools.send("Runtime.evaluate", { expression: await Bun.file(axeFile).text() });
  }
  const options = {
    runOnly: { type: "tag", values: axeTags },
    resultTypes: ["violations"],
    ...(hasColors ? {} : { rules: withoutColors }),
  };
  const where = { exclude: hasColors ? [] : [sidebarLinks] };
  const violations = await page.evaluate(
    async ([passedOver, asked]) => {
      const { axe } = globalThis as unknown as AxeWindow;
      const result = await axe.run(passedOver, asked);
      return result.violations.map(({ id, help, nodes }) => ({
        id,
        help,
        places: nodes.map(
          ({ target, failureSummary = "" }) => `${String(target)}: ${failureSummary.split("\n")[1]?.trim() ?? ""}`,
        ),
      }));
    },
    [where, options] as const,
  );
  return violations.map(({ id, help, places }) => `${id}: ${help} (${places.slice(0, 5).join(" | ")})`);
}
