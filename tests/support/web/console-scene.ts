import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginUser } from "../accounts/logins.ts";
import { TestBrowser, type WatchedPage } from "./browser.ts";
import { startWebRig, type WebRig } from "./web-rig.ts";

/** The console with a provider behind it, and a browser. */
export type ConsoleScene = {
  readonly provider: ReturnType<typeof startSandboxProvider>;
  readonly web: WebRig;
  readonly browser: TestBrowser;
  /** A new user with some balance, in a separate browser. */
  readonly enter: (expectedStatuses?: readonly number[], quota?: bigint) => Promise<WatchedPage>;
  readonly close: () => Promise<void>;
};

export async function startConsoleScene(): Promise<ConsoleScene> {
  const provider = startSandboxProvider();
  const [web, browser] = await Promise.all([startWebRig(provider.url), TestBrowser.launch()]);
  return {
    provider,
    web,
    browser,
    enter: async (expectedStatuses = [], quota = 2_500_000n) => {
      const { cookie } = await loginUser(web.rig, { quota });
      return await browser.open({ url: web.sluice.url, cookie, expectedStatuses });
    },
    close: async () => {
      await browser.close();
      await web.close();
      await provider.stop();
    },
  };
}

/** What axe finds, and every other fault of the page. */
export async function faultsOf({ page, axe, faults }: WatchedPage): Promise<string[]> {
  // Where the page has scrolled to for a click, the bar above it may cover half a button.
  await page.evaluate("scrollTo(0, 0)");
  return [...(await axe()), ...faults];
}
