import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Creation = {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
};
type Request = { readonly rpId: string; readonly challenge: string };

/** What an attacker changes about a message. */
export type Twist = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly isVerified?: boolean;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  /** The name of an attestation format, with a certificate that names an address for revocations. */
  readonly format?: string;
};

type Key = {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly userHandle: string;
  counter: number;
};

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url");
const hash = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest();

/** An authenticator with a browser around it, which obeys nobody's rules: written from the specification of WebAuthn. */
export class SoftAuthenticator {
  readonly #origin: string;
  readonly #isSynced: boolean;
  readonly #counts: boolean;
  #key: Key | null = null;

  constructor(origin: string, { isSynced = true, counts = false } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
    this.#counts = counts;
  }

  /** A copy of it with its key, which counts on its own. */
  copy(): SoftAuthenticator {
    const copy = new SoftAuthenticator(this.#origin, { isSynced: this.#isSynced, counts: this.#counts });
    copy.#key = this.#key === null ? null : { ...this.#key };
    return copy;
  }

  /** As `navigator.credentials.create()` with a new key. */
  create({ rp, user, challenge }: Creation, twist: Twist = {}): object {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const id = randomBytes(32);
    this.#key = { id: base64url(id), privateKey, userHandle: user.id, counter: this.#counts ? 1 : 0 };
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const cose = map([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, cose]);
    const authData = Buffer.concat([this.#head(rp.id, twist, { hasKey: true }), credential]);
    const { format } = twist;
    const statement = format === undefined ? map([]) : map([["x5c", [Buffer.from("certificate")]]]);
    const attestationObject = map([
      ["fmt", format ?? "none"],
      ["attStmt", new Encoded(statement)],
      ["authData", authData],
    ]);
    return this.#credential({
      clientDataJSON: base64url(this.#clientData("webauthn.create", challenge, twist)),
      attestationObject: base64url(attestationObject),
      transports: ["internal", "made-up"],
    });
  }

  /** As `navigator.credentials.get()`. */
  get({ rpId, challenge }: Request, twist: Twist = {}): object {
    const key = this.#made();
    key.counter += this.#counts ? 1 : 0;
    const clientData = this.#clientData("webauthn.get", challenge, twist);
    const authData = this.#head(rpId, twist, { hasKey: false });
    const signature = sign("sha256", Buffer.concat([authData, hash(clientData)]), key.privateKey);
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
      userHandle: twist.userHandle ?? key.userHandle,
    });
  }

  #made(): Key {
    if (this.#key === null) {
      throw new Error("no key was made");
    }
    return this.#key;
  }

  #credential(response: object): object {
    const { id } = this.#made();
    return { id, rawId: id, type: "public-key", response };
  }

  #clientData(type: string, challenge: string, twist: Twist): string {
    return JSON.stringify({
      type: twist.type ?? type,
      challenge: twist.challenge ?? challenge,
      origin: twist.origin ?? this.#origin,
      crossOrigin: twist.crossOrigin ?? false,
    });
  }

  /** The hash of the site, the flags and the counter. */
  #head(rpId: string, { rpId: other, isVerified = true }: Twist, { hasKey }: { readonly hasKey: boolean }): Buffer {
    const backup = this.#isSynced ? 0x18 : 0;
    const flags = 0x01 | (isVerified ? 0x04 : 0) | backup | (hasKey ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#made().counter);
    return Buffer.concat([hash(other ?? rpId), Buffer.from([flags]), counter]);
  }
}

/** CBOR that is written already. */
class Encoded {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
type Value = number | string | Buffer | Encoded | readonly Value[];

function map(entries: readonly (readonly [number | string, Value])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, value]) => [encode(key), encode(value)])]);
}

function encode(value: Value): Buffer {
  if (typeof value === "number") {
    return value < 0 ? head(1, -1 - value) : head(0, value);
  }
  if (typeof value === "string") {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (value instanceof Encoded) {
    return value.bytes;
  }
  return Buffer.isBuffer(value)
    ? Buffer.concat([head(2, value.length), value])
    : Buffer.concat([head(4, (value as readonly Value[]).length), ...(value as readonly Value[]).map(encode)]);
}

/** The first bytes of an item: its kind and its number, which has at most 16 bits here. */
function head(kind: number, number: number): Buffer {
  const type = kind << 5;
  if (number < 24) {
    return Buffer.from([type | number]);
  }
  return number < 256 ? Buffer.from([type | 24, number]) : Buffer.from([type | 25, number >> 8, number & 255]);
}
