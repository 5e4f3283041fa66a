/**
 * Reports that a public page was seen, and which call to action on it was clicked. It uses no cookies: the visitor id
 * is random, and lost when the tab is closed. It reports neither bots nor visitors who ask not to be tracked.
 */
type Campaign = { utm_source?: string; utm_medium?: string; utm_campaign?: string };

const place = "/backend/analytics/landing/";
const visitorKey = "visitor";
const campaignKey = "campaign";
const campaignNames = ["utm_source", "utm_medium", "utm_campaign"] as const;
const visitorIdBytes = 16;

/** The stored value of a name in this tab, or a new one; nothing is stored without storage. */
function keptInTab(name: string, make: () => string): string {
  try {
    const made = sessionStorage.getItem(name) ?? make();
    sessionStorage.setItem(name, made);
    return made;
  } catch {
    return make();
  }
}

function newVisitorId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(visitorIdBytes));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The visitor's campaign; it stays for the following pages. */
function campaignOf(search: string): Campaign {
  const query = new URLSearchParams(search);
  const named = campaignNames.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const text = JSON.stringify(Object.fromEntries(named));
  if (named.length > 0) {
    try {
      sessionStorage.setItem(campaignKey, text);
    } catch {
      // Without storage, the next page does not know the value.
    }
  }
  return JSON.parse(keptInTab(campaignKey, () => text)) as Campaign;
}

function report(kind: "page_view" | "cta_click", target?: string): void {
  const event = {
    kind,
    ...campaignOf(location.search),
    visitor_id: keptInTab(visitorKey, newVisitorId),
    path: location.pathname,
    referrer: document.referrer.startsWith(location.origin) ? undefined : document.referrer,
    language: document.documentElement.lang,
    viewport: `${innerWidth}x${innerHeight}`,
    target,
  };
  navigator.sendBeacon(place, JSON.stringify(event));
}

const { globalPrivacyControl, doNotTrack, webdriver } = navigator as Navigator & { globalPrivacyControl?: boolean };
if (globalPrivacyControl !== true && doNotTrack !== "1" && !webdriver) {
  report("page_view");
  document.addEventListener("click", ({ target }) => {
    const action = target instanceof Element ? target.closest<HTMLElement>("[data-cta]") : null;
    if (action !== null) {
      report("cta_click", action.dataset["cta"]);
    }
  });
}
