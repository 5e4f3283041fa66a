/**
 * Signs what a client has to send back unchanged. A signature holds the hash of the text, so that it can be checked also
 * where the text itself was left out.
 */
const version = "sandbox-1";

export function sign(text: string, key: string): string {
  const hash = hashOf(text);
  return Buffer.from(`${version}.${hash}.${seal(hash, key)}`).toString("base64");
}

/** Whether the signature was made with this key; of a text that is given, whether it was made of this text. */
export function isSignedBy(key: string, signature: unknown, text: string | null): boolean {
  if (typeof signature !== "string") {
    return false;
  }
  const [found, hash, mark] = Buffer.from(signature, "base64").toString("latin1").split(".");
  return (
    found === version && hash !== undefined && mark === seal(hash, key) && (text === null || hash === hashOf(text))
  );
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function seal(hash: string, key: string): string {
  return new Bun.CryptoHasher("sha256", key).update(hash).digest("hex");
}
