import commonText from "./common-passwords.txt" with { type: "text" };

const lengthMin = 8;
const lengthMax = 256;
const commonWords = new Set(commonText.split(/\s+/).filter((word) => word !== ""));

/** Keyboard rows and common sequences. A password that only follows one of them is guessed immediately. */
const walks = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "q1w2e3r4t5y6u7i8o9p0",
  "147258369",
  "!@#$%^&*()",
];
/** The characters that people replace letters with. */
const lookalikes: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

export type PasswordFault = "length" | "characters" | "owner" | "guessed";

const sentences: Readonly<Record<PasswordFault, string>> = {
  length: `The password must have ${lengthMin} to ${lengthMax} characters.`,
  characters: "The password contains a character that can't be typed on a keyboard.",
  owner: "The password must differ from the e-mail address.",
  guessed: "This password is too easy to guess. Choose another.",
};

/**
 * What is wrong with a new password, as a sentence, or null. Length counts; no kinds of characters are required. The
 * first guesses are refused: common words, even with digits appended or look-alike characters, one character or group
 * repeated, keyboard walks, and the owner's email address.
 */
export function passwordProblem(password: string, email: string): string | null {
  const fault = findFault(password, email);
  return fault === null ? null : sentences[fault];
}

/** What a sentence of `passwordProblem` complains about, for pages in other languages; null for other sentences. */
export function passwordFaultOf(sentence: string): PasswordFault | null {
  const faults = Object.keys(sentences) as PasswordFault[];
  return faults.find((fault) => sentences[fault] === sentence) ?? null;
}

function findFault(password: string, email: string): PasswordFault | null {
  const length = [...password].length;
  if (length < lengthMin || length > lengthMax || password.length > lengthMax * 2) {
    return "length";
  }
  if (password.includes("\0") || !password.isWellFormed()) {
    return "characters";
  }
  const lower = password.toLowerCase();
  if (isOfOwner(lower, email.toLowerCase())) {
    return "owner";
  }
  return isCommon(lower) ? "guessed" : null;
}

function isOfOwner(lower: string, email: string): boolean {
  const [name = ""] = email.split("@");
  return lower === email || (name.length >= 4 && withoutTail(lower) === name);
}

function isCommon(lower: string): boolean {
  const plain = withoutTail(lower);
  const normalized = [...lower].map((letter) => lookalikes[letter] ?? letter).join("");
  const normalizedPlain = [...plain].map((letter) => lookalikes[letter] ?? letter).join("");
  return (
    [lower, plain, normalized, normalizedPlain, plain.replace(/[\s._-]/g, "")].some((form) => commonWords.has(form)) ||
    /^\d{1,8}$/.test(lower) ||
    isRepeated(lower) ||
    isWalk(lower) ||
    (isWalk(plain) && plain.length > 2)
  );
}

/** People append up to six digits and symbols when a word is refused. */
function withoutTail(text: string): string {
  return text.replace(/[^\p{L}]{1,6}$/u, "");
}

/** Whether the text repeats at most four characters: `abababab`, `11111111`. */
function isRepeated(text: string): boolean {
  return /^(.{1,4}?)\1+$/su.test(text);
}

/** Whether the text consists of at most two keyboard walks, forwards or backwards. */
function isWalk(text: string): boolean {
  const lines = walks.flatMap((walk) => [walk, [...walk].reverse().join("")]);
  const isPiece = (piece: string) => lines.some((line) => line.includes(piece));
  for (let cut = 3; cut <= text.length; cut += 1) {
    const rest = text.slice(cut);
    if (isPiece(text.slice(0, cut)) && (rest.length === 0 || (rest.length >= 3 && isPiece(rest)))) {
      return true;
    }
  }
  return false;
}
