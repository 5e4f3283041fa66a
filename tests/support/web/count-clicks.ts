import type { WatchedPage } from "./browser.ts";

/**
 * Counts what a person clicks on the pages of the program. Fields that are typed into and lists that are chosen from are not counted.
 * @param origin of the program: the pages of others, such as an issuer's, have clicks of their own
 * @returns how many there were so far
 */
export async function countClicks({ page }: WatchedPage, origin: string): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction("countClick", () => {
    clicks += 1;
  });
  await page.addInitScript(
    `if (location.origin === ${JSON.stringify(origin)}) addEventListener('click', (event) => event.isTrusted && countClick(), true)`,
  );
  return () => clicks;
}
