/** The official Anthropic client for TypeScript, under `/v1` and at the Messages route. */
import Anthropic from "@anthropic-ai/sdk";
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages";
import {
  type Ask,
  type Client,
  hasTool,
  outputTokensMax,
  picture,
  type SeenTurn,
  systemText,
  thinkingTokensMax,
  toolName,
  toolResult,
  toolSchema,
  toolText,
} from "../model.ts";

const image: ContentBlockParam = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: picture },
};

async function converse(ask: Ask, basePath: string): Promise<SeenTurn[]> {
  const { origin, apiKey, theme, model, prompt, isStream } = ask;
  const client = new Anthropic({ baseURL: `${origin}${basePath}`, apiKey, maxRetries: 0 });
  const content: ContentBlockParam[] = [{ type: "text", text: prompt }, ...(theme === "images" ? [image] : [])];
  const messages: MessageParam[] = [{ role: "user", content }];
  const turns: SeenTurn[] = [];
  for (;;) {
    const request = {
      ...{ model, messages, max_tokens: outputTokensMax, system: systemText },
      ...(hasTool(theme) ? { tools: [{ name: toolName, description: toolText, input_schema: toolSchema }] } : {}),
      ...(theme === "thinking" ? { thinking: { type: "enabled" as const, budget_tokens: thinkingTokensMax } } : {}),
    };
    let pieces = 1;
    let message: Anthropic.Message;
    if (isStream) {
      pieces = 0;
      const stream = client.messages.stream(request);
      stream.on("text", () => {
        pieces += 1;
      });
      message = await stream.finalMessage();
    } else {
      message = await client.messages.create(request);
    }
    turns.push(readMessage(message, pieces));
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      return turns;
    }
    messages.push({ role: "assistant", content: message.content as ContentBlockParam[] });
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: toolResult }));
    messages.push({ role: "user", content: results });
  }
}

function readMessage({ content, stop_reason, usage }: Anthropic.Message, pieces: number): SeenTurn {
  const read = usage.cache_read_input_tokens ?? 0;
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: content.filter((block) => block.type === "tool_use").map(({ name, input }) => ({ name, arguments: input })),
    finish: stop_reason,
    reasoning: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    pieces,
    usage: {
      input: usage.input_tokens + read + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
      cached: read,
    },
  };
}

const finishes = { done: "end_turn", calls: "tool_use" };

export const anthropicTypescript: readonly Client[] = [
  {
    ...{ name: "Anthropic TypeScript", dialect: "messages", family: "claude-sonnet-4-5", finishes },
    converse: (ask) => converse(ask, ""),
  },
  {
    ...{ name: "Anthropic TypeScript, /msgcompat", dialect: "messages", family: "claude-sonnet-4-5", finishes },
    converse: (ask) => converse(ask, "/msgcompat"),
  },
];
