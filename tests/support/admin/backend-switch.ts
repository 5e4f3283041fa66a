import type { Page, Route } from "playwright-core";

/** The ways in which a backend can fail for a browser. */
export const failures = ["error", "unavailable", "malformed", "cut"] as const;
export type Failure = (typeof failures)[number];

/** The request id in the responses invented here. */
export const failedRequestId = "req-of-a-test";

type Mode = "pass" | "hold" | Failure;

const bodyOf = (code: string, message: string): string =>
  JSON.stringify({ ok: false, error: { code, message, request_id: failedRequestId } });

/** An intermediary between a page and the backend: lets calls through, holds them back, or fails them. */
export class BackendSwitch {
  /** The requested paths, in the order of their first request. */
  readonly asked = new Set<string>();
  readonly #page: Page;
  #mode: Mode = "pass";
  #isMeant: (path: string) => boolean = () => true;
  #held: Route[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  static async between(page: Page): Promise<BackendSwitch> {
    const between = new BackendSwitch(page);
    await page.route("**/backend/**", (route) => between.#meet(route));
    return between;
  }

  /**
   * What happens from now on, even to held calls.
   * @param isMeant the paths to which it applies; the others pass
   */
  async set(mode: Mode, isMeant: (path: string) => boolean = () => true): Promise<void> {
    this.#mode = mode;
    this.#isMeant = isMeant;
    const held = this.#held;
    this.#held = [];
    await Promise.all(held.map((route) => this.#meet(route)));
  }

  async #meet(route: Route): Promise<void> {
    const { pathname } = new URL(route.request().url());
    this.asked.add(pathname);
    const mode = this.#isMeant(pathname) ? this.#mode : "pass";
    if (mode === "hold") {
      this.#held.push(route);
    } else {
      // A page that was closed needs no response any more.
      await answer(route, mode).catch((error: unknown) => {
        if (!this.#page.isClosed() && !String(error).includes("already handled")) {
          throw error;
        }
      });
    }
  }
}

async function answer(route: Route, mode: Exclude<Mode, "hold">): Promise<void> {
  switch (mode) {
    case "pass":
      return await route.continue();
    case "error":
      return await route.fulfill({
        status: 500,
        contentType: "application/json",
        body: bodyOf("internal_error", "Something failed."),
      });
    case "unavailable":
      return await route.fulfill({
        status: 503,
        contentType: "application/json",
        body: bodyOf("unavailable", "Not for the moment."),
      });
    case "malformed":
      return await route.fulfill({
        status: 200,
        contentType: "text/html",
        headers: { "x-request-id": failedRequestId },
        body: "<h1>A gateway in between",
      });
    case "cut":
      return await route.abort("connectionreset");
  }
}
