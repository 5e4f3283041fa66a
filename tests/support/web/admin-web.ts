import { expect } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import type { Page } from "playwright-core";
import { keptPages } from "../../runner/lighter-program.ts";
import { loginAdmin } from "../accounts/logins.ts";
import { type PageOptions, TestBrowser, type WatchedPage } from "./browser.ts";
import { PageTabs } from "./page-tabs.ts";
import { startWebRig, type WebRig } from "./web-rig.ts";

const narrowest = { width: 320, height: 640 };

type Walked = Pick<PageOptions, "cookie" | "expectedStatuses"> & {
  /** For a walk that changes the clock, which its tab keeps. */
  readonly isAlone?: boolean;
};

/** The admin pages of a service whose channels lead to the sandbox provider, with a super-admin and a plain one. */
export class AdminWeb {
  readonly web: WebRig;
  readonly browser: TestBrowser;
  /** The cookie of an admin who is not a super-admin. */
  readonly plainAdmin: string;
  readonly #provider: SandboxProvider;
  readonly #tabs: PageTabs;

  private constructor(web: WebRig, browser: TestBrowser, rest: { provider: SandboxProvider; plainAdmin: string }) {
    this.web = web;
    this.browser = browser;
    this.#tabs = new PageTabs(browser);
    this.plainAdmin = rest.plainAdmin;
    this.#provider = rest.provider;
  }

  /** @param env more of the environment of the program */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<AdminWeb> {
    const provider = startSandboxProvider();
    const [web, browser] = await Promise.all([
      startWebRig(provider.url, { ...env, ...keptPages }),
      TestBrowser.launch(),
    ]);
    const { cookie } = await loginAdmin(web.rig, { isSuper: false });
    return new AdminWeb(web, browser, { provider, plainAdmin: cookie });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.web.close();
    await this.#provider.stop();
  }

  /**
   * Walks over a page, as the super-admin unless another cookie is given. Nothing may go wrong in it, axe finds nothing
   * at its end, and it fits a small phone.
   */
  async walk(
    path: string,
    steps: (page: Page, watched: WatchedPage) => Promise<void>,
    { cookie = this.web.cookies.admin ?? "", expectedStatuses = [], isAlone = false }: Walked = {},
  ): Promise<void> {
    const options = { url: this.web.sluice.url, cookie, expectedStatuses };
    const tabs = isAlone ? new PageTabs(this.browser) : this.#tabs;
    await tabs.walk(options, async (watched) => {
      await watched.page.goto(path);
      await steps(watched.page, watched);
      const found = await watched.axe();
      await watched.page.setViewportSize(narrowest);
      const overflow = await watched.page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect({ found, overflow, faults: watched.faults }).toEqual({ found: [], overflow: 0, faults: [] });
    });
  }
}
