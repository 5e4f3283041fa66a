import type { CustomFetch, ServerMetadata } from "openid-client";
import { z } from "zod";
import { parseEmailAddress } from "../email-address.ts";
import { parseDisplayName } from "../model.ts";
import type { Person } from "./model.ts";

/** GitHub, or a GitHub Enterprise Server: it publishes no metadata, but its addresses follow from its own. */
export function githubMetadata(issuer: string): ServerMetadata {
  const base = issuer.replace(/\/+$/, "");
  return {
    issuer,
    authorization_endpoint: `${base}/login/oauth/authorize`,
    token_endpoint: `${base}/login/oauth/access_token`,
    code_challenge_methods_supported: ["S256"],
  };
}

const apiOf = (issuer: string): string => {
  const base = issuer.replace(/\/+$/, "");
  return base === "https://github.com" ? "https://api.github.com" : `${base}/api/v3`;
};

const account = z.object({ id: z.int().positive(), name: z.string().nullish(), login: z.string() });
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() })).max(100);

/**
 * The owner of an access token, which is not kept. The number identifies an account; names are given to others when they
 * become free.
 */
export async function readGithubPerson(issuer: string, token: string, fetch: CustomFetch): Promise<Person> {
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${apiOf(issuer)}${path}`, {
      method: "GET",
      headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
      body: null,
      redirect: "manual",
    });
    if (response.status !== 200) {
      throw new Error(`${path} answered ${response.status}`);
    }
    return await response.json();
  };
  const { id, name, login } = account.parse(await read("/user"));
  const primary = addresses.parse(await read("/user/emails")).find((each) => each.primary);
  const email = primary === undefined ? null : parseEmailAddress(primary.email);
  return {
    issuer,
    subject: String(id),
    email,
    isEmailVerified: email !== null && primary?.verified === true,
    name: parseDisplayName(name ?? login) ?? null,
  };
}
