import { fill } from "../../i18n/messages.ts";
import { type ErrorMessages, messages as english } from "./messages/en.ts";

type Known = { readonly pattern: RegExp; readonly of: (texts: ErrorMessages) => string };

/** The known sentences of the backend, and their positions in other languages. */
const known: readonly Known[] = [
  ...Object.entries(english.sentences).map(([key, sentence]) => ({
    pattern: patternOf(sentence),
    of: ({ sentences }: ErrorMessages) => sentences[key as keyof typeof sentences],
  })),
  ...Object.entries(english.codes).map(([key, sentence]) => ({
    pattern: patternOf(sentence),
    of: ({ codes }: ErrorMessages) => codes[key as keyof typeof codes],
  })),
];

/** Translates a sentence of the backend; an unknown one stays as it is. */
export function sentenceIn(texts: ErrorMessages, sentence: string): string {
  for (const { pattern, of } of known) {
    const match = pattern.exec(sentence);
    if (match !== null) {
      return fill(of(texts), match.groups ?? {});
    }
  }
  return sentence;
}

/** Finds a sentence, whatever is in its placeholders. */
function patternOf(sentence: string): RegExp {
  const source = sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");
  return new RegExp(`^${source}$`, "u");
}
