import type { Page } from "playwright-core";
import { type PageOptions, TestBrowser, type WatchedPage } from "./browser.ts";
import { startWebRig, type WebRig } from "./web-rig.ts";

/** The program with the web UI, and a browser whose pages are watched until the end of each test. */
export class WebVisits {
  readonly web: WebRig;
  readonly #browser: TestBrowser;
  #opened: WatchedPage[] = [];

  private constructor(web: WebRig, browser: TestBrowser) {
    this.web = web;
    this.#browser = browser;
  }

  static async start(): Promise<WebVisits> {
    return new WebVisits(...(await Promise.all([startWebRig(), TestBrowser.launch()])));
  }

  /** A page in a profile of its own; `as` logs in the user or the admin of the rig. */
  async open(path: string, options: Partial<PageOptions> & { readonly as?: "user" | "admin" } = {}): Promise<Page> {
    const { as, ...rest } = options;
    const cookie = as === undefined ? undefined : this.web.cookies[as];
    const watched = await this.#browser.open({
      url: this.web.sluice.url,
      ...(cookie === undefined ? {} : { cookie }),
      ...rest,
    });
    this.#opened.push(watched);
    await watched.page.goto(path);
    return watched.page;
  }

  /** Closes the pages that a test opened, and returns everything that must not have happened in them. */
  async leave(): Promise<string[]> {
    const opened = this.#opened;
    this.#opened = [];
    const faults = opened.flatMap((each) => [...each.faults]);
    await Promise.all(opened.map((each) => each.close()));
    return faults;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.web.close();
  }
}

/** The text of the element that has the focus. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.textContent.trim()");
}
