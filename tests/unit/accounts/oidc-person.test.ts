import { expect, test } from "bun:test";
import { type Claims, readOidcPerson } from "@sluice/control-plane/accounts/sign-in/oidc-person.ts";

const issuer = "https://login.example.org";
const google = "https://accounts.google.com";
const isVerified = (of: string, claims: Omit<Claims, "sub">): boolean =>
  readOidcPerson(of, { sub: "1", ...claims }).isEmailVerified;

test("only true, also as a word, says that an address is verified", () => {
  const email = "ada@example.org";
  for (const said of [true, "true"]) {
    expect([said, isVerified(issuer, { email, email_verified: said })]).toEqual([said, true]);
  }
  for (const said of [false, "false", "yes", "TRUE", "1", 1, null, undefined, {}, [true]]) {
    expect([said, isVerified(issuer, { email, email_verified: said })]).toEqual([said, false]);
  }
});

test("Google vouches only for mailboxes that it runs", () => {
  expect(isVerified(google, { email: "ada@gmail.com", email_verified: true })).toBe(true);
  expect(isVerified(google, { email: "ada@example.org", hd: "example.org", email_verified: true })).toBe(true);
  expect(isVerified(google, { email: "ada@example.org", email_verified: true })).toBe(false);
  expect(isVerified(google, { email: "ada@gmail.com.example.org", email_verified: true })).toBe(false);
  expect(isVerified(google, { email: "ada@example.org", hd: "", email_verified: true })).toBe(false);
  // The domain alone proves nothing.
  expect(isVerified(google, { email: "ada@example.org", hd: "example.org" })).toBe(false);
  expect(isVerified(issuer, { email: "ada@example.org", email_verified: true })).toBe(true);
});

test("what is not an address counts as none, and never verified", () => {
  for (const email of ["", "ada", "ada@", "a b@example.org", "ada@example.org\nbcc: eve@example.org", 1, null, {}]) {
    const person = readOidcPerson(issuer, { sub: "1", email, email_verified: true });
    expect([email, person.email, person.isEmailVerified]).toEqual([email, null, false]);
  }
});

test("a name that would not be accepted here is left out", () => {
  const nameOf = (name: unknown): string | null => readOidcPerson(issuer, { sub: "1", name }).name;
  expect(nameOf(" Ada ")).toBe("Ada");
  for (const name of ["", "x".repeat(101), "two\nlines", "turned \u202e round", 1, undefined]) {
    expect([name, nameOf(name)]).toEqual([name, null]);
  }
});

test("a subject that can't identify anybody is refused", () => {
  for (const sub of ["", "x".repeat(256)]) {
    expect(() => readOidcPerson(issuer, { sub })).toThrow("subject");
  }
  expect(readOidcPerson(issuer, { sub: "x".repeat(255) }).subject).toHaveLength(255);
});
