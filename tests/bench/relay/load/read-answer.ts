/** Text and usage of an answer in any dialect, so that a converted one can be compared with what the provider sent. */
import type { CallDialect } from "./call.ts";

type Json = { readonly [field: string]: Json } & readonly Json[];
export type AnswerFacts = { readonly text: string; readonly inputTokens: unknown; readonly outputTokens: unknown };

/** @throws SyntaxError or TypeError for a body that is not of the dialect */
export function readAnswer(dialect: CallDialect, body: string, isStream: boolean): AnswerFacts {
  return isStream ? streamReaders[dialect](eventsOf(body)) : wholeReaders[dialect](JSON.parse(body));
}

function facts(text: unknown, usage: Json | undefined): AnswerFacts {
  return {
    text: String(text),
    inputTokens: usage?.["prompt_tokens"] ?? usage?.["input_tokens"],
    outputTokens: usage?.["completion_tokens"] ?? usage?.["output_tokens"],
  };
}

const wholeReaders: Readonly<Record<CallDialect, (answer: Json) => AnswerFacts>> = {
  chat: ({ choices, usage }) => facts(choices?.[0]?.["message"]?.["content"], usage),
  responses: ({ output, usage }) => facts(output?.[0]?.["content"]?.[0]?.["text"], usage),
  messages: ({ content, usage }) => facts(content?.[0]?.["text"], usage),
};

const streamReaders: Readonly<Record<CallDialect, (events: readonly Json[]) => AnswerFacts>> = {
  chat: (events) =>
    facts(
      events.map(({ choices }) => choices?.[0]?.["delta"]?.["content"] ?? "").join(""),
      events.findLast(({ usage }) => usage)?.["usage"],
    ),
  responses: (events) => facts(events.map(({ delta }) => delta ?? "").join(""), events.at(-1)?.["response"]?.["usage"]),
  messages: (events) =>
    facts(
      events.map(({ delta }) => delta?.["text"] ?? "").join(""),
      // The end repeats what it knows better than the beginning.
      Object.assign({}, ...events.map(({ message, usage }) => usage ?? message?.["usage"])),
    ),
};

function eventsOf(body: string): Json[] {
  const lines = body.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}
