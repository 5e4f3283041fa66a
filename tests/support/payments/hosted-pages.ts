import type { CardRequest } from "./card-request.ts";
import type { SubscriptionBook } from "./subscription-book.ts";

/**
 * The card gateway's own pages in a browser: the checkout of a subscription, and the portal where another card is saved.
 * Null for a request about something else.
 */
export function hostedPage(book: SubscriptionBook, { method, path }: CardRequest): Response | null {
  const isSent = method === "POST";
  const [, id = ""] = /^\/pay\/(cs_test_\w+)$/.exec(path) ?? [];
  const session = book.sessionOf(id);
  if (session !== null) {
    if (!isSent) {
      return htmlOf("Subscribe", `Pay $${(session.cents / 100).toFixed(2)}`);
    }
    book.pay(session.renewalNo);
    return htmlOf("Paid", null, session.successUrl);
  }
  if (path === "/portal") {
    book.isCardGood ||= isSent;
    return isSent ? htmlOf("Saved") : htmlOf("Payment methods", "Save another card");
  }
  return null;
}

function htmlOf(title: string, button: string | null = null, next: string | null = null): Response {
  const form = button === null ? "" : `<form method="post"><button>${button}</button></form>`;
  const link = next === null ? "" : `<a href="${Bun.escapeHTML(next)}">Return</a>`;
  const html = `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${form}${link}</main></html>`;
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
}
