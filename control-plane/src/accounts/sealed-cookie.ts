import type { z } from "zod";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { open, seal, sealContext } from "../platform/crypto/seal.ts";
import { SealError } from "../platform/crypto/seal-errors.ts";
import { readCookies } from "./sessions/cookie.ts";

const lengthMax = 3_500;

/** What a cookie holds, and how long. */
export type SealedCookieKind<Held> = {
  readonly name: string;
  /** Part of what the seal is bound to, so that no cookie can be used as one of another kind. */
  readonly column: string;
  readonly schema: z.ZodType<Held>;
  readonly minutes: number;
};

/**
 * What the service needs to know again on the next request of a login. It is sealed into a cookie of this browser, so that
 * no other browser can finish what this one began, and nothing is stored for those that never come back.
 */
export class SealedCookie<Held extends { readonly endsAt: number }> {
  readonly #masterKey: MasterKey;
  readonly #isSecure: boolean;
  readonly #kind: SealedCookieKind<Held>;

  constructor(masterKey: MasterKey, isSecure: boolean, kind: SealedCookieKind<Held>) {
    this.#masterKey = masterKey;
    this.#isSecure = isSecure;
    this.#kind = kind;
  }

  /** The `Set-Cookie`, which replaces an earlier one; null if a browser would drop it because it is too long. */
  write(held: Held): string | null {
    const sealed = seal(this.#masterKey.sealing, Buffer.from(JSON.stringify(held)), this.#context);
    const value = Buffer.from(sealed).toString("base64url");
    return value.length <= lengthMax ? this.#text(value, this.#kind.minutes * 60) : null;
  }

  /** The `Set-Cookie` that removes it. */
  clear(): string {
    return this.#text("", 0);
  }

  /** Null unless this browser has exactly one, made by this service, and still in time. */
  read(request: Request, now: number): Held | null {
    const [value = "", ...others] = readCookies(request, this.#name);
    if (value === "" || value.length > lengthMax || others.length > 0) {
      return null;
    }
    const text = this.#open(value);
    if (text === null) {
      return null;
    }
    // What another version of the program has written is begun again.
    const { data: found } = this.#kind.schema.safeParse(JSON.parse(text));
    return found !== undefined && found.endsAt > now ? found : null;
  }

  #open(value: string): string | null {
    try {
      const sealed = Buffer.from(value, "base64url");
      return Buffer.from(open(this.#masterKey.opening, sealed, this.#context)).toString("utf8");
    } catch (error) {
      if (error instanceof SealError) {
        return null;
      }
      throw error;
    }
  }

  get #context() {
    return sealContext({ table: "cookie", column: this.#kind.column, row: "", owner: "browser" });
  }

  get #name(): string {
    return this.#isSecure ? `__Host-${this.#kind.name}` : this.#kind.name;
  }

  /** Lax, because a browser may come back from the site of a provider. */
  #text(value: string, maxAge: number): string {
    const secure = this.#isSecure ? "; Secure" : "";
    return `${this.#name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  }
}
