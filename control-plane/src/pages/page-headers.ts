/** Nothing from elsewhere but from one origin, if any; nothing inline, nobody may frame us. */
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

/** A page that everybody may read: the browser asks each time whether it changed, and nobody in between keeps it. */
export const publicPageHeaders = { ...everyPage, "cache-control": "private, no-cache" };

/** A page that is there because of a login, or not there for want of one. */
export const privatePageHeaders = { ...everyPage, "cache-control": "no-store" };

/** A file whose address changes with its content. */
export const assetHeaders = {
  "cache-control": "private, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
};

/** A picture that other sites show beside a link to a page of ours. */
export const socialImageHeaders = { ...assetHeaders, "cross-origin-resource-policy": "cross-origin" };

/** The same headers for a page that loads the support widget from this address; unchanged where it is null. */
export function withSupportWidget<Headers extends typeof everyPage>(headers: Headers, url: string | null): Headers {
  return url === null ? headers : { ...headers, "content-security-policy": contentSecurityPolicy(new URL(url).origin) };
}
