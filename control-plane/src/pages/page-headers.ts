/** Nothing from elsewhere, nothing inline, nobody may frame us. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const everyPage = {
  "content-security-policy": contentSecurityPolicy,
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
