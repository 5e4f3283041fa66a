import type { Place, Round } from "./conversation.ts";

/** What a browser keeps of an account at most. */
export const historyLimits = { count: 50, bytes: 50 * 1024 * 1024 } as const;

/** Of how many messages that were not sent a browser keeps the files, and for how long. Their size has limits of its own. */
export const draftFilesLimits = { count: 4, ageMs: 86_400_000 } as const;

/** What the list shows of a conversation. */
export type ConversationLine = {
  readonly id: string;
  /** How its first message begins. */
  readonly title: string;
  readonly models: readonly string[];
  readonly updatedAt: number;
  /** About how much room it takes. */
  readonly bytes: number;
};

const titleMax = 80;

/** What the list shows of these rounds. */
export function toLine(
  id: string,
  rounds: readonly Round[],
  { places, now }: { readonly places: readonly Place[]; readonly now: number },
): ConversationLine {
  const first = rounds[0]?.text.trim().replace(/\s+/g, " ") ?? "";
  const files = rounds.flatMap(({ attachments }) => attachments).reduce((sum, { data }) => sum + data.length, 0);
  const texts = rounds
    .flatMap(({ text, answers }) => [text, ...Object.values(answers).flatMap(({ steps }) => steps.map(textOf))])
    .reduce((sum, text) => sum + text.length, 0);
  return {
    id,
    title: [...first].slice(0, titleMax).join(""),
    models: [...new Set(places.map(({ model }) => model))],
    updatedAt: now,
    bytes: files + texts,
  };
}

const textOf = ({ text, reasoning }: { readonly text: string; readonly reasoning: string }): string => text + reasoning;
