/** The SHA-256 of a text's UTF-8 bytes in lower-case hexadecimal. */
export function sha256Hex(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
