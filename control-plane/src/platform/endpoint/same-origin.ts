/**
 * Whether a write comes from a page of this service, or from a program. A browser names the origin of a request, and
 * cookies are sent with requests of other sites as well; those must change nothing. A request with cookies but without
 * an origin is not from one of our pages: programs that use a login send `Origin`.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) {
    return site === "same-origin";
  }
  const origin = request.headers.get("origin");
  if (origin === null) {
    return (request.headers.get("cookie") ?? "").trim() === "";
  }
  const host = request.headers.get("host");
  return host !== null && URL.canParse(origin) && new URL(origin).host === host;
}
