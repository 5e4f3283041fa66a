import { redact } from "../../platform/log.ts";

const lengthMax = 200;

/**
 * A server's message, made safe for the mail log and a user's profile: it becomes one line without URLs and email
 * addresses, because a server may quote the email with the link and its token.
 */
export function cleanError(text: string): string {
  const oneLine = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const withoutLinks = oneLine.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S*/gi, "[link]").replace(/\S+@\S+/g, "[address]");
  // Tokens are long and have no spaces; human words are short.
  const withoutTokens = withoutLinks.replace(/[A-Za-z0-9_=/+%-]{24,}/g, "[...]");
  return redact(withoutTokens).slice(0, lengthMax);
}
