const legalName = /^[\w-]{1,64}$/;
const keptLength = 55;

/**
 * Tool names that the upstream accepts: at most 64 of letters, digits, `_` and `-`. Any other name is truncated and
 * gets a digest, which is always the same for the same name, so that histories stay identical; responses are mapped
 * back.
 */
export class ToolNames {
  readonly #sha256Hex: (text: string) => string;
  readonly #originals = new Map<string, string>();

  /** @param sha256Hex the SHA-256 of a text's UTF-8 bytes in lower-case hexadecimal */
  constructor(sha256Hex: (text: string) => string) {
    this.#sha256Hex = sha256Hex;
  }

  /** The upstream's name for the tool. */
  toUpstream(name: string): string {
    if (legalName.test(name)) {
      return name;
    }
    const upstreamName = `${name.slice(0, keptLength).replace(/[^\w-]/g, "_")}_${this.#sha256Hex(name).slice(0, 8)}`;
    this.#originals.set(upstreamName, name);
    return upstreamName;
  }

  /** The client's names by upstream name, for names that were changed. */
  get originals(): ReadonlyMap<string, string> {
    return this.#originals;
  }
}
