import type { Page } from "playwright-core";

/** An address that has no page: after it, even a page with the path of the page before begins again. */
const nowhere = "/no-such-page/";
/** The heading of a page that was left may be shown until the next one is there. */
const arrived = "main h1:not([data-left])";

/** An expression for a page: goes to another page of its app, as a link there does, and marks the heading that it leaves. */
export const goingTo = (path: string): string => `(() => {
  document.querySelector("main h1").dataset.left = "";
  history.pushState(null, "", ${JSON.stringify(path)});
  dispatchEvent(new PopStateEvent("popstate"));
})()`;

/** Goes to a page of the console or of the admin area within the document, which is loaded only if it is of another app. */
export async function goWithin(page: Page, path: string): Promise<void> {
  const [, app = ""] = path.split("/");
  if (!new URL(page.url()).pathname.startsWith(`/${app}/`)) {
    await page.goto(path);
    return;
  }
  for (const each of [`/${app}${nowhere}`, path]) {
    await page.evaluate(goingTo(each));
    await page.waitForSelector(arrived);
  }
}
