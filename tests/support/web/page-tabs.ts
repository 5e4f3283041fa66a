import type { CDPSession } from "playwright-core";
import type { PageOptions, TestBrowser, WatchedPage } from "./browser.ts";

type Cookies = Awaited<ReturnType<ReturnType<WatchedPage["page"]["context"]>["cookies"]>>;
const { TEST_FULL } = process.env;
/** Has no script, and asks for nothing. */
const nothingPath = "/healthz";

type Tab = { readonly watched: WatchedPage; readonly devtools: CDPSession; readonly cookies: Cookies };

/**
 * Opens pages one after the other, and each visit as a first one: nothing is stored and nothing is cached. Those with the same
 * options share a process of the browser, as to begin one takes as much time as the page itself.
 */
export class PageTabs {
  readonly #browser: TestBrowser;
  readonly #tabs = new Map<string, Tab>();

  constructor(browser: TestBrowser) {
    this.#browser = browser;
  }

  /** The page has nothing of the visit before, and is closed if the work fails. */
  readonly visit = async (options: PageOptions, work: (watched: WatchedPage) => Promise<void>): Promise<void> => {
    const tab = await this.#work("visit", options, work);
    await this.#empty(tab, options);
  };

  /** The page shows what the stay before has left, with what is cached, and nothing at first, in the size of the options; it is closed if the work fails. */
  readonly stay = async (options: PageOptions, work: (watched: WatchedPage) => Promise<void>): Promise<void> => {
    const tab = await this.#work("stay", options, work);
    await this.#restoreLook(tab, options);
  };

  /** For pages whose first visit is tested elsewhere: in an ordinary run a stay, which saves loading an app again. */
  readonly walk = TEST_FULL === "1" ? this.visit : this.stay;

  async #work(
    kind: "visit" | "stay",
    options: PageOptions,
    work: (watched: WatchedPage) => Promise<void>,
  ): Promise<Tab> {
    const key = `${kind} ${JSON.stringify(options)}`;
    const tab = this.#tabs.get(key) ?? (await this.#open(kind, options));
    this.#tabs.set(key, tab);
    const { page, faults, axe, close } = tab.watched;
    // What a page says while it is left is of no interest.
    const before = faults.length;
    const own = {
      page,
      axe,
      close,
      get faults() {
        return faults.slice(before);
      },
    };
    try {
      await work(own);
      return tab;
    } catch (error) {
      this.#tabs.delete(key);
      await close();
      throw error;
    }
  }

  async #open(kind: "visit" | "stay", options: PageOptions): Promise<Tab> {
    const watched = await this.#browser.open(options);
    const context = watched.page.context();
    const devtools = await context.newCDPSession(watched.page);
    if (kind === "visit") {
      await devtools.send("Network.enable");
      await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    }
    return { watched, devtools, cookies: await context.cookies() };
  }

  async #empty(tab: Tab, options: PageOptions): Promise<void> {
    const { page } = tab.watched;
    // A document of the same origin, because any other would end the process.
    await page.goto(nothingPath);
    await page.evaluate("sessionStorage.clear()");
    await tab.devtools.send("Storage.clearDataForOrigin", { origin: new URL(options.url).origin, storageTypes: "all" });
    await page.context().clearCookies();
    await page.context().addCookies(tab.cookies);
    await this.#restoreLook(tab, options);
  }

  async #restoreLook({ watched: { page } }: Tab, { width = 1280, height = 800, isDark }: PageOptions): Promise<void> {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: isDark === true ? "dark" : "light" });
  }
}
