import { sha256 } from "../platform/crypto/digest.ts";

const lengthMax = 254;
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * Normalizes an address: one `@`, no quotes, no comments, no control characters, ASCII letters only (a domain with
 * other letters in its `xn--` form), so that no two addresses look alike. The domain is in lower case.
 * @returns null when the text is not an email address
 */
export function parseEmailAddress(text: string): string | null {
  const address = text.trim();
  const at = address.indexOf("@");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1).toLowerCase()];
  const labels = domain.split(".");
  const isAddress =
    at > 0 &&
    address.length <= lengthMax &&
    local.length <= 64 &&
    localPart.test(local) &&
    labels.length >= 2 &&
    labels.every((one) => label.test(one)) &&
    !/^\d+$/.test(labels.at(-1) ?? "");
  return isAddress ? `${local}@${domain}` : null;
}

/**
 * The digest under which free credit of an address is counted. Many providers deliver an address with other dots or with
 * something after a plus to the same person.
 */
export function addressKeyOf(email: string): Uint8Array {
  const at = email.lastIndexOf("@");
  const [local = ""] = email.slice(0, at).toLowerCase().split("+");
  const domain = email.slice(at + 1).toLowerCase();
  return sha256(`registration ${local.replaceAll(".", "")}@${domain === "googlemail.com" ? "gmail.com" : domain}`);
}
