/** Usage rows and traces keep so much of a path. */
export const recordedPathLengthMax = 256;

/** The path and query of the request line. The URL is not parsed, so that nothing in it is normalised. */
export function rawTarget(url: string): string {
  const slash = url.indexOf("/", url.indexOf("//") + 2);
  return slash === -1 ? "/" : url.slice(slash);
}
