/** Path and query as in the request line; the URL is not parsed, so that none of it is normalised. */
export function rawTarget(url: string): string {
  const slash = url.indexOf("/", url.indexOf("//") + 2);
  return slash === -1 ? "/" : url.slice(slash);
}
