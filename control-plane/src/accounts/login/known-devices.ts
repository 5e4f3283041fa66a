import { createHmac, randomBytes } from "node:crypto";
import { isEqualSecret } from "../../platform/crypto/compare.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { readCookies } from "../sessions/cookie.ts";
import type { SessionKind } from "../sessions/model.ts";

const cookieNames = { user: "SVC_USER_DEVICE", admin: "SVC_ADMIN_DEVICE", visitor: "SVC_DEVICE" } as const;
type DeviceKind = keyof typeof cookieNames;
const nonceBytes = 16;
const lifeSeconds = 180 * 24 * 3_600;
const valueShape = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * Browsers in which a person has logged in before. Their attempts are counted separately from those of the address: a
 * stranger who shares the address, or guesses from it, does not keep the owner waiting. A known browser has no other
 * privilege.
 */
export class KnownDevices {
  readonly #key: Uint8Array;
  readonly #isSecure: boolean;

  constructor(masterKey: MasterKey, isSecure: boolean) {
    this.#key = masterKey.deriveKey("known devices");
    this.#isSecure = isSecure;
  }

  /** The device's name, if it belongs to this owner. */
  read(request: Request, kind: SessionKind, ownerId: bigint): string | null {
    return this.#read(request, kind, ownerId);
  }

  /** The `Set-Cookie` that marks a browser as known. */
  cookie(kind: SessionKind, ownerId: bigint): string {
    return this.#cookie(kind, ownerId);
  }

  /** The name of a browser that has shown the registration page or begun a sign-in. */
  readVisitor(request: Request): string | null {
    return this.#read(request, "visitor", 0n);
  }

  /** The `Set-Cookie` that names a browser before anybody registers in it; none if it has a name. */
  visitorCookies(request: Request): readonly string[] {
    return this.readVisitor(request) === null ? [this.#cookie("visitor", 0n)] : [];
  }

  #read(request: Request, kind: DeviceKind, ownerId: bigint): string | null {
    for (const value of readCookies(request, cookieNames[kind])) {
      const [, nonce = "", mac = ""] = valueShape.exec(value) ?? [];
      if (nonce !== "" && isEqualSecret(mac, this.#mac(kind, ownerId, nonce))) {
        return nonce;
      }
    }
    return null;
  }

  #cookie(kind: DeviceKind, ownerId: bigint): string {
    const nonce = randomBytes(nonceBytes).toString("base64url");
    const secure = this.#isSecure ? "; Secure" : "";
    const value = `${nonce}.${this.#mac(kind, ownerId, nonce)}`;
    return `${cookieNames[kind]}=${value}; Path=/; Max-Age=${lifeSeconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  #mac(kind: DeviceKind, ownerId: bigint, nonce: string): string {
    return createHmac("sha256", this.#key).update(`${kind}:${ownerId}:${nonce}`).digest("base64url");
  }
}
