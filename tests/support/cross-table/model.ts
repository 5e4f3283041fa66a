/** The words of the cross table: which clients are tried on which channels, and with what. */
import type { Dialect as AnyDialect } from "@sluice/contracts/upstreams";

/** The dialects in which models chat. */
export const dialects = ["chat", "responses", "messages", "gemini"] as const satisfies readonly AnyDialect[];
export type Dialect = (typeof dialects)[number];

/** What a conversation is about; each is had whole and streamed. */
export const themes = ["text", "tools", "images", "thinking"] as const;
export type Theme = (typeof themes)[number];

/** What a client is asked to do. */
export type Ask = {
  /** The address of Sluice, without a path. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly theme: Theme;
  readonly isStream: boolean;
};

/** Tokens as the client shows them. What it has no field for is absent. */
export type SeenUsage = {
  /** Including what was read from a cache or written to it. */
  readonly input: number;
  /** Including the reasoning. */
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
};

/** One response, as the client read it. */
export type SeenTurn = {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Why it ended, in the client's words. */
  readonly finish: string | null;
  /** Null where the client does not show what it was sent. */
  readonly usage: SeenUsage | null;
  /** Null for a client that does not show it. */
  readonly reasoning: string | null;
  /** In how many pieces the text came; 1 for a response that was not streamed. */
  readonly pieces: number;
};

/** A client with the API that it speaks. */
export type ClientFacts = {
  readonly name: string;
  readonly dialect: Dialect;
  /** The beginning of the names of its models: clients look at them. */
  readonly family: string;
  /** What it can't do, with the reason, which the table prints. */
  readonly cannot?: Readonly<Partial<Record<Theme | "whole", string>>>;
  /** What it shows differently than it was sent, which the table prints and no test can check. */
  readonly note?: string;
};

export type Client = ClientFacts & {
  /** What it calls the ends of a response. */
  readonly finishes: { readonly done: string; readonly calls: string };
  /**
   * Has a conversation: asks, and answers a call of the tool with `toolResult`, until the model has said its text.
   * @returns the responses in their order
   * @throws whatever the client throws
   */
  converse(ask: Ask): Promise<readonly SeenTurn[]>;
};

/** One square of the table. */
export type Cell = {
  readonly client: ClientFacts;
  readonly channel: Dialect;
  readonly theme: Theme;
  readonly isStream: boolean;
};

export const toolName = "get_weather";
export const toolText = "The weather of the next days.";
export const toolSchema = {
  type: "object" as const,
  properties: { city: { type: "string" as const }, days: { type: "integer" as const } },
  required: ["city", "days"],
};
/** What the tool says. */
export const toolResult = "18 degrees and no wind";
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A prompt is as long as its counts of tokens need: no token is less than a byte. */
export const systemText = "You know the weather of every city. ".repeat(8).trim();
export const outputTokensMax = 4_000;
export const thinkingTokensMax = 1_024;

/** Whether a theme offers the tool. */
export const hasTool = (theme: Theme): boolean => theme === "tools" || theme === "thinking";
