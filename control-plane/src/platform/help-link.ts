import type { ErrorCode } from "@sluice/contracts/errors";
import { nativeRoutes } from "@sluice/contracts/native-routes";

/** The header that names the place in the docs which explains an error. */
export const helpHeader = "link";

const page = "/docs/errors/";
/** The codes with an anchor of their name on that page; the others are linked to the page itself. */
const explained: ReadonlySet<ErrorCode> = new Set(
  nativeRoutes.filter(({ access }) => access === "api_key").flatMap(({ errors }) => errors),
);

/**
 * The value of the header below the root of the site, whose address the gateway doesn't know: a relay completes it.
 * @param code null for an error that none of our codes names
 */
export function helpFor(code: ErrorCode | null): string {
  return `<${page}${code !== null && explained.has(code) ? `#${code}` : ""}>; rel="help"`;
}

/** Whether it is a value of `helpFor`, and not that of another service. */
export const isHelp = (value: string): boolean => value.startsWith(`<${page}`);

/**
 * Completes the header of an error to an address at which the page is found from anywhere.
 * @param siteUrl the public address, without a trailing slash
 */
export function completeHelp(headers: Record<string, string>, siteUrl: string): void {
  const value = headers[helpHeader];
  if (value !== undefined && isHelp(value)) {
    headers[helpHeader] = `<${siteUrl}${value.slice(1)}`;
  }
}
