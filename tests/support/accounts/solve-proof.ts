import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";

export type AskedProof = { readonly challenge: string; readonly bits: number };

/** Solves a proof of work as the documentation says. */
export function solveProof({ challenge, bits }: AskedProof, email: string): { challenge: string; solution: string } {
  for (let number = 0; ; number += 1) {
    const digest = sha256(`${challenge}:${email.toLowerCase()}:${number}`);
    const begin = [...digest.slice(0, 4)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    if (begin.startsWith("0".repeat(bits))) {
      return { challenge, solution: String(number) };
    }
  }
}
