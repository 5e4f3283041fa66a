/**
 * Whether a write comes from a page of this service, or from no page at all. A browser says where a request comes from;
 * cookies travel with requests of other sites as well, and those must change nothing.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) {
    return site === "same-origin" || site === "none";
  }
  const origin = request.headers.get("origin");
  if (origin === null) {
    return true;
  }
  const host = request.headers.get("host");
  return host !== null && URL.canParse(origin) && new URL(origin).host === host;
}
