import { z } from "zod";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { SealedCookie } from "../sealed-cookie.ts";

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

const kind = { name: "SVC_SIGN_IN", column: "sign_in", schema: anyStep, minutes: cookieMinutes };

/** What a sign-in needs to know again when the browser comes back. */
export class FlowCookie {
  readonly #cookie: SealedCookie<SignInFlow | WaitingCode>;

  constructor(masterKey: MasterKey, isSecure: boolean) {
    this.#cookie = new SealedCookie<SignInFlow | WaitingCode>(masterKey, isSecure, kind);
  }

  /** The `Set-Cookie`. If it would be too long, the sign-in ends at the start page. */
  write(step: SignInFlow | WaitingCode): string {
    const cookie = this.#cookie.write(step) ?? this.#cookie.write({ ...step, next: "" });
    if (cookie === null) {
      throw new Error("the sign-in does not fit into a cookie");
    }
    return cookie;
  }

  /** The `Set-Cookie` that removes it. */
  clear(): string {
    return this.#cookie.clear();
  }

  /** Null unless this browser is at this step. */
  read<Step extends "flow" | "code">(
    request: Request,
    step: Step,
    now: number,
  ): (Step extends "flow" ? SignInFlow : WaitingCode) | null {
    const found = this.#cookie.read(request, now);
    return found?.step === step ? (found as Step extends "flow" ? SignInFlow : WaitingCode) : null;
  }
}
