/** What the provider of the cross table says, and what it costs. */
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import type { CountedUnits } from "../calls/priced-usage.ts";
import { type Dialect, hasTool, type SeenUsage, type Theme, toolName } from "./model.ts";

/** A response of the provider, from which the expectations follow. */
export type ScriptedTurn = {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly tokens: Tokens;
};
type Tokens = {
  readonly prompt: number;
  readonly cached: number;
  readonly written5m: number;
  readonly completion: number;
  readonly reasoning: number;
};

/** With letters, quotes and line ends that a careless conversion would change. */
const text = 'In Zürich: "18 °C" today\n\tand 🌤 naïve weather \\ tomorrow, 天気.';
const thought = 'They ask for "Zürich" – I look\nit up: ½ of 🌍.';
const call = { name: toolName, arguments: { city: 'Zürich "West"\n\\ 🌍', days: 2 } };

/** The responses of a conversation; only Messages counts what it writes to its cache. */
export function scriptTurns(theme: Theme, channel: Dialect): readonly ScriptedTurn[] {
  const written5m = channel === "messages" ? 21 : 0;
  const isThought = theme === "thinking";
  const last = {
    ...{ text, reasoning: "", calls: [] },
    tokens: { prompt: 170, cached: 111, written5m, completion: 37, reasoning: 0 },
  };
  if (!hasTool(theme)) {
    return [last];
  }
  const tokens = { prompt: 150, cached: 60, written5m, completion: 53, reasoning: isThought ? 19 : 0 };
  return [{ text: "", reasoning: isThought ? thought : "", calls: [call], tokens }, last];
}

/** The turn as the sandbox provider is told to say it. Left to itself it would call every tool that a text names. */
export function toBehaviour({ text: said, reasoning, calls, tokens }: ScriptedTurn, index: number): Behaviour {
  return {
    tokens,
    toolCalls: calls.map((one) => ({ ...one, id: `call_cross${index}` })),
    ...(said === "" ? {} : { text: said }),
    // Left to itself it would also think aloud where a client asks for it.
    reasoning,
  };
}

/** The counts that a client with every field shows. */
export function toUsage({ tokens }: ScriptedTurn): Required<SeenUsage> {
  const { prompt: input, completion: output, cached, reasoning } = tokens;
  return { input, output, cached, reasoning };
}

/** What the usage row counts. */
export function toUnits({ tokens }: ScriptedTurn): CountedUnits {
  return {
    inputTokens: BigInt(tokens.prompt),
    outputTokens: BigInt(tokens.completion),
    cacheReadTokens: BigInt(tokens.cached),
    cacheWriteTokens: BigInt(tokens.written5m),
    reasoningTokens: BigInt(tokens.reasoning),
    ...{ cacheWrite1hTokens: 0n, images: 0, audioMs: 0n, searches: 0 },
  };
}
