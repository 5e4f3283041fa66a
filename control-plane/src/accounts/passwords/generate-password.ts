import { randomBytes } from "node:crypto";

/** 120 random bits, in characters that can be copied without mistakes. */
export function generatePassword(): string {
  return randomBytes(15).toString("base64url");
}
