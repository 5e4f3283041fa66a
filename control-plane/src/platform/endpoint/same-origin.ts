/**
 * Whether a write comes from a page of this service, or from a program. A browser says where a request comes from,
 * and cookies travel with requests of other sites as well; those must change nothing. A request with cookies that
 * does not say where it comes from is not from a browser of ours: programs that use a login send `Origin`.
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
