import type { Page } from "playwright-core";

/** What a person did on a page so far: clicks, and fields that were filled in or chosen from. */
export type Acts = { clicks: number; fields: number };

/** Counts from the next page on that is loaded, across pages. */
export async function countActs(page: Page): Promise<Acts> {
  const acts: Acts = { clicks: 0, fields: 0 };
  await page.exposeFunction("countAct", (what: keyof Acts) => {
    acts[what] += 1;
  });
  await page.addInitScript(`
    addEventListener("pointerdown", (event) => event.isTrusted && countAct("clicks"), true);
    addEventListener("change", () => countAct("fields"), true);
  `);
  return acts;
}
