import { isPrivateAddress } from "@sluice/server-addresses/judge-address";
import { AppError } from "../../../platform/errors.ts";

const dataImagePattern = /^data:[a-z0-9.+-]+\/[a-z0-9.+-]+[;,]/i;

/**
 * Refuses an address that can only lead inside a private network. We never fetch an image, but a provider might.
 * @throws AppError `invalid_value`
 */
export function checkImageUrl(url: unknown, param: string): void {
  if (typeof url !== "string" || !(dataImagePattern.test(url.slice(0, 128)) || isPublicHttpUrl(url))) {
    throw new AppError("invalid_value", {
      message: `'${param}' must be a data URL or a public http(s) URL.`,
      param,
    });
  }
}

function isPublicHttpUrl(text: string): boolean {
  const url = text.length <= 8_192 && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return false;
  }
  const host = url.hostname.replace(/\.$/, "");
  return !isPrivateAddress(host) && host !== "localhost" && !host.endsWith(".localhost");
}
