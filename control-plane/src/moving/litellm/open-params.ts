import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

const [nonceBytes, tagBytes, boxNonceBytes] = [12, 16, 24];
const [version2, version3] = ["v2:gcm:", "v3:gcm:"];

/** Decrypts what LiteLLM stores of its models under its salt key, or under its master key if it has none. */
export class ParamOpener {
  readonly #digest: Buffer;
  readonly #derived: Buffer;

  constructor(saltKey: string) {
    this.#digest = createHash("sha256").update(saltKey).digest();
    this.#derived = Buffer.from(hkdfSync("sha256", saltKey, new Uint8Array(0), "litellm-at-rest-v3", 32));
  }

  /** Null for what was not encrypted under this key. */
  open(text: string): string | null {
    try {
      if (text.startsWith(version3)) {
        return openGcm(this.#derived, text.slice(version3.length));
      }
      if (text.startsWith(version2)) {
        return openGcm(this.#digest, text.slice(version2.length));
      }
      return openBox(this.#digest, text);
    } catch {
      return null;
    }
  }
}

function openGcm(key: Buffer, text: string): string {
  const sealed = Buffer.from(text, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plain = [decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()];
  return Buffer.concat(plain).toString("utf8");
}

/** The secret box of NaCl: a nonce, and the text behind its tag. */
function openBox(key: Buffer, text: string): string | null {
  const sealed = Buffer.from(text, "base64url");
  if (sealed.length < boxNonceBytes + tagBytes) {
    return null;
  }
  const plain = xsalsa20poly1305(key, sealed.subarray(0, boxNonceBytes)).decrypt(sealed.subarray(boxNonceBytes));
  return Buffer.from(plain).toString("utf8");
}
