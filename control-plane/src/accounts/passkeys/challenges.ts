import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import { sha256 } from "../../platform/crypto/digest.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database } from "../../platform/db.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { SealedCookie } from "../sealed-cookie.ts";
import { useOnce } from "../used-challenge-store.ts";
import { challengeMinutes } from "./model.ts";

const held = z.object({
  challenge: z.string(),
  /** The user who adds a passkey, with the session in which that began; null for a login. */
  adding: z.object({ userId: z.string(), sessionId: z.string() }).nullable(),
  endsAt: z.number(),
});
type Held = z.output<typeof held>;

const kind = { name: "SVC_PASSKEY", column: "passkey", schema: held, minutes: challengeMinutes };
const challengeBytes = 32;

/** What authenticators have to sign: random bytes that one browser can use once, within minutes, for what they were made. */
export class Challenges {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #cookie: SealedCookie<Held>;

  constructor(deps: { db: Database; clock: Clock; masterKey: MasterKey; isSecure: boolean }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#cookie = new SealedCookie<Held>(deps.masterKey, deps.isSecure, kind);
  }

  /**
   * @param user who adds a passkey; null for a login
   * @returns the challenge, and the `Set-Cookie` with which the browser may answer it
   */
  make(user: UserCaller | null): { readonly challenge: string; readonly cookie: string } {
    const challenge = randomBytes(challengeBytes).toString("base64url");
    const adding = user === null ? null : inSession(user);
    const cookie = this.#cookie.write({ challenge, adding, endsAt: this.#clock.now() + challengeMinutes * 60_000 });
    if (cookie === null) {
      throw new Error("the challenge does not fit into a cookie");
    }
    return { challenge, cookie };
  }

  /**
   * The challenge that this browser got for this, which is used up.
   * @throws AppError `passkey_failed` when there is none, or it was for another session, or it was used
   */
  async take(request: Request, user: UserCaller | null): Promise<string> {
    const found = this.#cookie.read(request, this.#clock.now());
    const expected = user === null ? null : inSession(user);
    if (
      found === null ||
      found.adding?.userId !== expected?.userId ||
      found.adding?.sessionId !== expected?.sessionId ||
      !(await useOnce(this.#db, sha256(found.challenge), new Date(found.endsAt)))
    ) {
      throw new AppError("passkey_failed");
    }
    return found.challenge;
  }

  /** The `Set-Cookie` that forgets the challenge. */
  forget(): string {
    return this.#cookie.clear();
  }
}

function inSession({ userId, sessionId }: UserCaller): { userId: string; sessionId: string } {
  if (sessionId === null) {
    throw new AppError("step_up_required");
  }
  return { userId: userId.toString(), sessionId: sessionId.toString() };
}
