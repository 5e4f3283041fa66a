import { codeAt, stepAt } from "@sluice/control-plane/accounts/totp/one-time-code.ts";

const stepMs = 30_000;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** An authenticator that produces the codes of successive steps, so that no test gets a code that another has used. */
export class Authenticator {
  readonly #secret: Uint8Array;
  #offset = -2;

  constructor(base32: string) {
    const bits = [...base32].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
    this.#secret = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  }

  /** The codes of the previous, the current and the next step: all three are accepted now. */
  async next(): Promise<string> {
    this.#offset += 1;
    const leftMs = stepMs - (Date.now() % stepMs);
    if (leftMs < 5_000) {
      // The step would be over before the code arrives.
      await Bun.sleep(leftMs);
    }
    return codeAt(this.#secret, stepAt(Date.now()) + this.#offset);
  }

  /** A code of none of these steps. */
  wrong(): string {
    const near = [-2, -1, 0, 1, 2].map((offset) => codeAt(this.#secret, stepAt(Date.now()) + offset));
    return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code)) ?? "";
  }
}
