/** Allows no content from other origins except one, if given; no inline content and no framing. */
function contentSecurityPolicy(guest: string | null): string {
  const sources = guest === null ? "'self'" : `'self' ${guest}`;
  return [
    `default-src ${sources}`,
    `script-src ${sources}`,
    `style-src ${sources}`,
    `img-src ${sources} data:`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const everyPage = {
  "content-security-policy": contentSecurityPolicy(null),
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
};

/** A public page: the browser asks each time whether it changed, and no intermediary caches it. */
export const publicPageHeaders = { ...everyPage, "cache-control": "private, no-cache" };

/** A page that depends on a login. */
export const privatePageHeaders = { ...everyPage, "cache-control": "no-store" };

/** A file whose URL changes with its content. */
export const assetHeaders = {
  "cache-control": "private, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
};

/** An image that other sites show beside a link to one of our pages. */
export const socialImageHeaders = { ...assetHeaders, "cross-origin-resource-policy": "cross-origin" };

/**
 * A file that the operator has uploaded, which mails and other sites show too. Opened as a page, a drawing runs nothing and
 * loads nothing.
 */
export const brandFileHeaders = {
  ...socialImageHeaders,
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
};

/** Such a file at a path that stays when the content changes. */
export const currentBrandFileHeaders = { ...brandFileHeaders, "cache-control": "no-cache" };

/** The same headers for a page that loads the support widget from this URL; unchanged if it is null. */
export function withSupportWidget<Headers extends typeof everyPage>(headers: Headers, url: string | null): Headers {
  return url === null ? headers : { ...headers, "content-security-policy": contentSecurityPolicy(new URL(url).origin) };
}
