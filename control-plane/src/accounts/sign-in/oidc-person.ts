import { parseEmailAddress } from "../email-address.ts";
import { parseDisplayName } from "../model.ts";
import type { Person } from "./model.ts";

const google = "https://accounts.google.com";
const subjectLengthMax = 255;

/** What is read of an ID token or of the answer about the user. */
export type Claims = { readonly sub: string; readonly [name: string]: unknown };

/** @throws Error for a subject that can't identify anybody */
export function readOidcPerson(issuer: string, claims: Claims): Person {
  if (claims.sub === "" || claims.sub.length > subjectLengthMax) {
    throw new Error("the issuer's subject is empty or too long");
  }
  const email = textOf(claims["email"]);
  const address = email === null ? null : parseEmailAddress(email);
  return {
    issuer,
    subject: claims.sub,
    email: address,
    isEmailVerified: address !== null && isVerified(issuer, address, claims),
    name: parseDisplayName(textOf(claims["name"])) ?? null,
  };
}

/**
 * Some issuers write the boolean as a string. Google vouches for an address now only if it runs its mailbox: that of any
 * other address it has checked some time, and it may belong to someone else today.
 */
function isVerified(issuer: string, email: string, claims: Claims): boolean {
  const isClaimed = claims["email_verified"] === true || claims["email_verified"] === "true";
  const isOwnMailbox = email.endsWith("@gmail.com") || textOf(claims["hd"]) !== null;
  return isClaimed && (issuer !== google || isOwnMailbox);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
