import type { Page } from "playwright-core";

/** What a person did on a page so far: clicks, and fields that were filled in or chosen from. */
export type Acts = { clicks: number; fields: number };

/** What is counted in a page now: a tab that several tests use counts for the last one. */
const counted = new WeakMap<Page, { acts: Acts }>();

/**
 * Counts from now on, across pages.
 * @param origin of the program, where pages of others come in between: an issuer's have acts of their own
 */
export async function countActs(page: Page, origin: string | null = null): Promise<Acts> {
  const acts: Acts = { clicks: 0, fields: 0 };
  const known = counted.get(page);
  if (known !== undefined) {
    known.acts = acts;
    return acts;
  }
  const current = { acts };
  counted.set(page, current);
  await page.exposeFunction("countAct", (what: keyof Acts) => {
    current.acts[what] += 1;
  });
  const script = `if ([null, location.origin].includes(${JSON.stringify(origin)})) {
    addEventListener("pointerdown", (event) => event.isTrusted && countAct("clicks"), true);
    addEventListener("change", () => countAct("fields"), true);
  }`;
  await page.addInitScript(script);
  await page.evaluate(script);
  return acts;
}
