import type { FirstResponses } from "../api/first-responses.ts";

/** Also read by `acting-for.ts` of the console. */
const actingKey = "acting-for";

/**
 * Sends what a document asks first, addresses separated by spaces; the queries of the page take the responses. Nothing is sent
 * for an organisation: what its pages may ask depends on the role.
 * @param ofFrame what every page asks
 * @param ofPage what the page asks at its plain address; with a query, it may ask for something else
 */
export function sendFirstRequests(ofFrame = "", ofPage = ""): void {
  if (isActing()) {
    // Nor is its page the one of the user's own account.
    document.documentElement.dataset["acting"] = "";
    return;
  }
  const named = `${location.search === "" ? ofPage : ""} ${ofFrame}`.replaceAll("{zone}", zoneForAddress);
  const responses: FirstResponses = new Map();
  for (const address of named.split(" ").filter((each) => each !== "")) {
    const response = fetch(address, { headers: { accept: "application/json" } });
    // One that fails is sent again by its query, which reports the failure.
    response.catch(() => undefined);
    responses.set(address, response);
  }
  (globalThis as { firstResponses?: FirstResponses }).firstResponses = responses;
}

/** Only read where it is needed: the first use of `Intl` takes its time. */
function zoneForAddress(): string {
  return encodeURIComponent(new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
}

function isActing(): boolean {
  try {
    return (localStorage.getItem(actingKey) ?? "null") !== "null";
  } catch {
    // Without storage nobody can choose an organisation.
    return false;
  }
}
