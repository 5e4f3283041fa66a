import { createHmac } from "node:crypto";
import { sha256 } from "../../platform/crypto/digest.ts";

/** Crockford's alphabet omits I, L, O and U, which people mistake for other characters. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const bitsPerLetter = 5n;
/** 95 random bits and a check character. */
const bodyLetters = 19;
const groupLetters = 5;

/** A batch's code at an index: the same each time, and unpredictable without the seed. */
export function makeCode(seed: Uint8Array, index: number): string {
  let value = BigInt(`0x${createHmac("sha256", seed).update(`code ${index}`).digest("hex")}`);
  let body = "";
  while (body.length < bodyLetters) {
    body += alphabet[Number(value & 31n)];
    value >>= bitsPerLetter;
  }
  const code = body + checkLetter(body);
  return (code.match(new RegExp(`.{${groupLetters}}`, "g")) ?? []).join("-");
}

/** The codes of other gateways are 32 hexadecimal digits. */
const movedCode = /^[0-9a-f]{32}$/;

/** The letters of a code as typed, with any spaces, dashes and case; null when its check character is wrong. */
export function readCode(text: string): string | null {
  const moved = text.replace(/[\s-]/g, "").toLowerCase();
  if (movedCode.test(moved)) {
    return moved;
  }
  const letters = text.replace(/[\s-]/g, "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  const body = letters.slice(0, bodyLetters);
  const isWhole = letters.length === bodyLetters + 1 && [...letters].every((letter) => alphabet.includes(letter));
  return isWhole && letters.slice(bodyLetters) === checkLetter(body) ? letters : null;
}

/** The stored form of a code that was read. It has too much entropy to be guessed from its digest. */
export function digestOfCode(letters: string): Uint8Array {
  return sha256(`redemption code ${letters}`);
}

/** Luhn's check with 32 letters: it finds every wrong letter, and nearly every two that changed places. */
function checkLetter(body: string): string {
  const size = alphabet.length;
  const sum = [...body].reduceRight(
    ({ total, factor }, letter) => {
      const addend = factor * alphabet.indexOf(letter);
      return { total: total + Math.floor(addend / size) + (addend % size), factor: factor === 2 ? 1 : 2 };
    },
    { total: 0, factor: 2 },
  );
  return alphabet[(size - (sum.total % size)) % size] ?? "";
}
