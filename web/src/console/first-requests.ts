import type { AppPage } from "@sluice/contracts/app-page";

/** What every page of the console asks for, for its frame. */
const ofFrame = ["/backend/billing/balance/", "/backend/auth/me/"];

const summary = "/backend/usage/summary/?zone={zone}";

/** What a page cannot show its head without, by its folder: addresses as its queries write them. What is below can wait. */
const ofPages: Readonly<Record<string, readonly string[]>> = {
  home: [summary, "/backend/keys/list/?limit=100"],
  keys: ["/backend/keys/list/?limit=25", summary],
  billing: ["/backend/billing/plans/"],
};

/**
 * What the document of a page asks the backend while its scripts are still loading, and what the frame around it does. The build
 * writes it into the document, `boot-requests.ts` sends it, and the queries of the page take the responses.
 */
export function consoleFirstRequests(page: string): Pick<AppPage, "requests" | "frameRequests"> {
  // What has to be accepted comes without the frame.
  return { requests: ofPages[page] ?? [], frameRequests: page === "consent" ? [] : ofFrame };
}
