/**
 * The addresses that emails are sent to: plain local part, host name in ASCII. Quoted local parts, comments and lists
 * are refused, because mail programs have read one address as another because of them.
 */
const addressPattern =
  /^[A-Za-z0-9!#$%&*+/=?^_{|}~-]+(?:\.[A-Za-z0-9!#$%&*+/=?^_{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
const addressLengthMax = 254;
const localPartLengthMax = 64;

export function isMailAddress(text: string): boolean {
  return text.length <= addressLengthMax && text.indexOf("@") <= localPartLengthMax && addressPattern.test(text);
}

/**
 * Whether an address is a placeholder: of a closed account, or of a user who came from another gateway without an address. No mail server is ever responsible for this domain (RFC 6761).
 */
export function isPlaceholder(address: string): boolean {
  return /\.invalid$/i.test(address);
}

/** The sender of emails. */
export type MailFrom = { readonly name: string; readonly address: string };

/** Parses `Name <address>`, or an address alone, which then also serves as the name. Null when it is neither. */
export function parseMailFrom(text: string): MailFrom | null {
  const match = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim());
  const address = match?.[2]?.trim() ?? text.trim();
  return isMailAddress(address) ? { name: match?.[1]?.trim() || address, address } : null;
}
