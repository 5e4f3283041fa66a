import { expect } from "bun:test";
import { type AdminOperation, type AdminRight, adminRights } from "@sluice/contracts/admin-rights";
import { roleAllows } from "@sluice/contracts/admin-role-rights";
import type { LimitedRole } from "@sluice/contracts/admin-roles";
import { readsAt } from "@sluice/web/src/admin/page-reads.ts";
import type { Page, Route } from "playwright-core";
import { goingTo } from "./go-within.ts";

function may(role: LimitedRole, path: string): boolean {
  const right: AdminRight | undefined = adminRights[path as AdminOperation];
  return right?.access !== "super_admin" && roleAllows(role, path);
}

/** On one page. */
const pressesMax = 200;

/** What a page offers: where its links lead, what its forms would do, and which buttons it has. */
type Offer = {
  readonly links: readonly string[];
  /** The operations of forms with a button, and of those that only say that they are refused. */
  readonly forms: readonly { readonly operation: string; readonly hasButton: boolean; readonly isOpened: boolean }[];
  /** What can be pressed, each by where it is and what it is called. */
  readonly controls: readonly string[];
  readonly isDialog: boolean;
};

/**
 * Runs in the page: presses what is called so in `main`, or in the dialog before it, and reads what is offered once that
 * is shown. Sorting and filters change nothing; of all rows, the first is opened and chosen.
 */
const inPage = `globalThis.lookAround = async (wanted) => {
  const topOf = () => document.querySelector("dialog[open]") ?? document.querySelector("main");
  const passedOver = "th, .table-filters, .chips, .table-bar-end, .side-panel-head, .dialog-head";
  const controlsOf = (top) => {
    const of = (selector) => [...top.querySelectorAll(selector)].filter((each) => each.checkVisibility() && !each.disabled);
    const buttons = of("button").filter(
      (each) => !each.closest(passedOver) && !each.matches("[role=tab], .row-open, [aria-expanded], [aria-haspopup]"),
    );
    const first = [of(".row-open"), of("tbody .table-choice input")].flatMap((rows) => rows.slice(0, 1));
    return [...of("[role=tab]"), ...first, ...buttons].filter((each) => each.type !== "submit" || top.tagName === "DIALOG");
  };
  const nameOf = (each) =>
    [each.closest("dialog")?.tagName, each.getAttribute("role") ?? each.className, each.ariaLabel ?? each.textContent.trim()].join("|");
  const busy = "#main :is(.skeleton, [aria-busy=true]), dialog[open] :is(.skeleton, [aria-busy=true])";
  controlsOf(topOf()).find((each) => nameOf(each) === wanted)?.click();
  for (let frames = 0; ; frames++) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    if (document.querySelector("main h1:not([data-left])") !== null && document.querySelector(busy) === null) {
      break;
    }
    if (frames > 3000) {
      throw new Error("the page is still loading");
    }
  }
  return {
    isDialog: topOf().tagName === "DIALOG",
    controls: controlsOf(topOf()).map(nameOf),
    links: [...document.querySelectorAll("#main a[href], dialog[open] a[href]")].map((each) => each.getAttribute("href")),
    forms: [...document.querySelectorAll("form[data-operation]")].filter((each) => each.checkVisibility()).map((form) => ({
      operation: form.dataset.operation,
      hasButton: form.querySelector("[type=submit]") !== null,
      isOpened: form.closest("dialog") !== null,
    })),
  };
}`;

/** One admin of a role, who walks over all pages and presses everything. */
export class RoleVisitor {
  readonly offered = new Set<string>();
  readonly wrong = new Set<string>();

  readonly #page: Page;
  readonly #role: LimitedRole;

  constructor(page: Page, role: LimitedRole) {
    this.#page = page;
    this.#role = role;
  }

  async begin(): Promise<void> {
    await this.#page.addInitScript(inPage);
    await this.#page.route(
      (url) => url.pathname.startsWith("/backend/"),
      (route) => this.#follow(route),
    );
    await this.#page.goto("/admin/roles/");
    await this.#look();
  }

  /** What reads and previews is carried out; what changes something is only noted. */
  async #follow(route: Route): Promise<void> {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (request.method() === "GET" || pathname.endsWith("/preview/")) {
      return await route.continue();
    }
    this.#note(pathname, "a press sends");
    const error = { code: "version_conflict", message: "Not in this test", fields: {} };
    await route.fulfill({ status: 418, json: { ok: false, error } });
  }

  #note(path: string, how: string): void {
    this.offered.add(path);
    if (!may(this.#role, path)) {
      this.wrong.add(`${new URL(this.#page.url()).pathname}: ${how} ${path}`);
    }
  }

  /** @param wanted what to press before; nothing without it */
  async #look(wanted = ""): Promise<Offer> {
    const offer = await this.#page.evaluate<Offer>(`lookAround(${JSON.stringify(wanted)})`);
    for (const { operation, hasButton, isOpened } of offer.forms) {
      if (hasButton || isOpened) {
        this.#note(operation, "a form does");
      }
    }
    for (const href of offer.links) {
      const reads = readsAt(href);
      if (reads !== null && !may(this.#role, reads)) {
        this.wrong.add(`${new URL(this.#page.url()).pathname}: a link leads to ${href.split("?")[0]}`);
      }
      if (href.startsWith("/backend/admin/")) {
        this.#note(href.split("?")[0] ?? "", "a link reads");
      }
    }
    return offer;
  }

  /** Presses what is on the page until nothing is left, and what is in each dialog that opens. */
  async #pressAll(path: string): Promise<void> {
    const pressed = new Set<string>();
    let { controls, isDialog } = await this.#look();
    for (let presses = 0; presses < pressesMax; presses++) {
      const next = controls.find((control) => !pressed.has(control));
      if (next === undefined && !isDialog) {
        return;
      }
      if (next === undefined) {
        await this.#page.keyboard.press("Escape");
      } else {
        pressed.add(next);
      }
      ({ controls, isDialog } = await this.#look(next));
    }
    throw new Error(`${path} does not come to an end`);
  }

  /** @param isPressed whether to press everything on the page, not only look at it */
  async visit(path: string, isPressed: boolean): Promise<void> {
    await this.#page.evaluate(goingTo(path));
    await this.#look();
    const reads = readsAt(path);
    const isRefused = (await this.#page.locator("main h1").textContent()) === "Not for your role";
    const isElsewhere = new URL(this.#page.url()).pathname !== path;
    expect([path, isRefused || isElsewhere]).toEqual([path, reads !== null && !roleAllows(this.#role, reads)]);
    if (isPressed && !isElsewhere) {
      await this.#pressAll(path);
    }
  }
}
