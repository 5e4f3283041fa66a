import type { UserId } from "@sluice/contracts/ids";
import { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { SealedCookie } from "../sealed-cookie.ts";

const minutes = 60;
const idDigits = 20;
const held = z.object({ userId: z.string(), endsAt: z.number() });

/**
 * Which account this browser has created, sealed into a cookie: once its address is verified here within the hour, nobody has to
 * enter the password again. An account that somebody else has created is not opened: its password is another one's.
 */
export class CreatedHere {
  readonly #cookie: SealedCookie<z.output<typeof held>>;
  readonly #clock: Clock;

  constructor({ masterKey, clock }: { readonly masterKey: MasterKey; readonly clock: Clock }, isSecure: boolean) {
    this.#cookie = new SealedCookie(masterKey, isSecure, {
      name: "SVC_CREATED",
      column: "created_here",
      schema: held,
      minutes,
    });
    this.#clock = clock;
  }

  /** The `Set-Cookie`, as long for an address that had an account. @param userId null for such an address */
  write(userId: UserId | null): string {
    const endsAt = this.#clock.now() + minutes * 60_000;
    const cookie = this.#cookie.write({ userId: (userId ?? 0n).toString().padStart(idDigits, "0"), endsAt });
    if (cookie === null) {
      throw new Error("the id of an account does not fit into a cookie");
    }
    return cookie;
  }

  /** Whether this browser has created the account. */
  isOf(request: Request, userId: UserId): boolean {
    const found = this.#cookie.read(request, this.#clock.now());
    return found !== null && BigInt(found.userId) === userId;
  }

  /** The `Set-Cookie` that removes it. */
  clear(): string {
    return this.#cookie.clear();
  }
}
