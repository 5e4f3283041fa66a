import { z } from "zod";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../../platform/crypto/seal.ts";
import { SealError } from "../../platform/crypto/seal-errors.ts";
import { readCookies } from "../sessions/cookie.ts";

const lengthMax = 3_500;
export const cookieMinutes = 10;

const flow = z.object({
  step: z.literal("flow"),
  provider: z.string(),
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  /** The code of an invitation, for people who have no account yet. */
  invitation: z.string(),
  /** The user who links a sign-in, with the session in which that began; null for a login. */
  link: z.object({ userId: z.string(), sessionId: z.string() }).nullable(),
  endsAt: z.number(),
});

const code = z.object({
  step: z.literal("code"),
  id: z.string(),
  userId: z.string(),
  issuer: z.string(),
  subject: z.string(),
  label: z.string(),
  email: z.string().nullable(),
  /** Whether the sign-in still has to be linked to the account. */
  isNew: z.boolean(),
  next: z.string(),
  endsAt: z.number(),
});

/** A sign-in on its way: at the provider, or back from it and waiting for the code of the account's authenticator. */
export type SignInFlow = z.output<typeof flow>;
export type WaitingCode = z.output<typeof code>;

const anyStep = z.discriminatedUnion("step", [flow, code]);

const context = sealContext({ table: "cookie", column: "sign_in", row: "", owner: "browser" });

/**
 * What a sign-in needs to know again when the browser comes back. It is sealed into a cookie of this browser, so that no
 * other browser can finish what this one began, and nothing is stored for those that never come back.
 */
export class SealedCookie {
  readonly #masterKey: MasterKey;
  readonly #isSecure: boolean;

  constructor(masterKey: MasterKey, isSecure: boolean) {
    this.#masterKey = masterKey;
    this.#isSecure = isSecure;
  }

  /** The `Set-Cookie`. Lax, because the browser comes from the provider's site; a new one replaces the old one. */
  write(step: SignInFlow | WaitingCode): string {
    const value = this.#seal(step);
    // A browser drops a cookie that is too long: the sign-in then ends at the start page instead.
    return this.#text(value.length <= lengthMax ? value : this.#seal({ ...step, next: "" }), cookieMinutes * 60);
  }

  /** The `Set-Cookie` that removes it. */
  clear(): string {
    return this.#text("", 0);
  }

  /** Null unless this browser has exactly one, made by this service for this step, and still in time. */
  read<Step extends "flow" | "code">(
    request: Request,
    step: Step,
    now: number,
  ): (Step extends "flow" ? SignInFlow : WaitingCode) | null {
    const [value = "", ...others] = readCookies(request, this.#name);
    if (value === "" || value.length > lengthMax || others.length > 0) {
      return null;
    }
    const text = this.#open(value);
    if (text === null) {
      return null;
    }
    // What another version of the program has written is begun again.
    const { data: found } = anyStep.safeParse(JSON.parse(text));
    return found?.step === step && found.endsAt > now
      ? (found as Step extends "flow" ? SignInFlow : WaitingCode)
      : null;
  }

  #seal(step: SignInFlow | WaitingCode): string {
    const sealed = seal(this.#masterKey.sealing, Buffer.from(JSON.stringify(step)), context);
    return Buffer.from(sealed).toString("base64url");
  }

  #open(value: string): string | null {
    try {
      return Buffer.from(open(this.#masterKey.opening, Buffer.from(value, "base64url"), context)).toString("utf8");
    } catch (error) {
      if (error instanceof SealError) {
        return null;
      }
      throw error;
    }
  }

  get #name(): string {
    return this.#isSecure ? "__Host-SVC_SIGN_IN" : "SVC_SIGN_IN";
  }

  #text(value: string, maxAge: number): string {
    const secure = this.#isSecure ? "; Secure" : "";
    return `${this.#name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  }
}
