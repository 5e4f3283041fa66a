import type { Dialect } from "@sluice/contracts/upstreams";
import { providerCostOf } from "./provider-cost.ts";
import { readChatUsage, readChatUsageByTotal } from "./readers/chat-usage.ts";
import { readGeminiUsage } from "./readers/gemini-usage.ts";
import { mergeMessagesUsage, readMessagesUsage, startOfMessagesUsage } from "./readers/messages-usage.ts";
import { asObject, type Json, type ReportedUnits } from "./units.ts";

type ReadUsage = (usage: Json) => ReportedUnits | null;

/** A reader that also keeps what the provider says the call has cost it. */
function withCost(read: ReadUsage): ReadUsage {
  return (usage) => {
    const units = read(usage);
    const providerCost = units === null ? null : providerCostOf(usage);
    return units === null || providerCost === null ? units : { ...units, providerCost };
  };
}

/** How the providers of a dialect report usage. */
type UsageReader = {
  /** The name of the usage in a complete response. */
  readonly name: string;
  /** The same in its quotes. */
  readonly key: Buffer;
  /** Reads a usage object; null if it counts nothing. */
  readonly read: ReadUsage;
  /** Whether the payload of an event may report usage. Nearly none does, and every event is asked. */
  mayReport(payload: Json): boolean;
  /** Where the payload of a response or an event may report its usage. */
  places(payload: Json): readonly unknown[];
  /** Combines a report with earlier ones of the same stream; without it, the last one counts. */
  readonly merge: ((known: Json, usage: Json) => Json) | null;
};

/** What Cohere bills, and what it only counts; others that rank use its form. */
function countsOfMeta(meta: unknown): Json | null {
  const { billed_units: billed, tokens } = asObject(meta);
  return billed === undefined && tokens === undefined ? null : { ...asObject(tokens), ...asObject(billed) };
}

/** At the top level, in the `response` of the Responses API, in a choice (Kimi), or beside the choices (Groq). */
const chat: UsageReader = {
  name: "usage",
  key: Buffer.from('"usage"'),
  read: withCost(readChatUsage),
  mayReport(payload) {
    const { choices } = payload;
    const first: unknown = Array.isArray(choices) ? choices[0] : null;
    return (
      payload["usage"] != null ||
      payload["type"] !== undefined ||
      payload["x_groq"] !== undefined ||
      asObject(first)["usage"] != null
    );
  },
  places(payload) {
    const { choices, response, usage, x_groq: groq, meta, tokens } = payload;
    const first: unknown = Array.isArray(choices) ? choices[0] : null;
    const places = [usage, asObject(response)["usage"], asObject(first)["usage"], asObject(groq)["usage"]];
    return meta === undefined && tokens === undefined ? places : [...places, countsOfMeta(meta), tokens];
  },
  merge: null,
};

const messages: UsageReader = {
  name: "usage",
  key: Buffer.from('"usage"'),
  read: withCost(readMessagesUsage),
  mayReport: ({ type }) => type === "message_start" || type === "message_delta",
  places: ({ usage, message }) => [usage, startOfMessagesUsage(asObject(asObject(message)["usage"]))],
  merge: mergeMessagesUsage,
};

const gemini: UsageReader = {
  name: "usageMetadata",
  key: Buffer.from('"usageMetadata"'),
  read: readGeminiUsage,
  mayReport: ({ usageMetadata }) => usageMetadata != null,
  places: ({ usageMetadata }) => [usageMetadata],
  merge: null,
};

const cohere: UsageReader = {
  name: "meta",
  key: Buffer.from('"meta"'),
  read: (meta) => readChatUsage(countsOfMeta(meta) ?? {}),
  mayReport: ({ meta }) => meta != null,
  places: ({ meta }) => [meta],
  merge: null,
};

/** The dialects of usage: those of upstreams, and that of chat completions whose thoughts are only in the total. */
export type UsageDialect = Dialect | "chat_by_total";

export const usageReaders: Readonly<Record<UsageDialect, UsageReader>> = {
  chat,
  chat_by_total: { ...chat, read: withCost(readChatUsageByTotal) },
  responses: chat,
  messages,
  gemini,
  cohere,
};
