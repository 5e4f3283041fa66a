/** LangChain for TypeScript with the models of OpenAI, in both APIs, and of Anthropic. */
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
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

const weather = { type: "function", function: { name: toolName, description: toolText, parameters: toolSchema } };

type Reading = {
  readonly finish: (message: AIMessage) => unknown;
  readonly reasoning: (message: AIMessage) => string | null;
};

async function converse(ask: Ask, model: BaseChatModel, reading: Reading): Promise<SeenTurn[]> {
  const { theme, prompt, isStream } = ask;
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } };
  const messages: BaseMessage[] = [
    new SystemMessage(systemText),
    new HumanMessage({ content: [{ type: "text", text: prompt }, ...(theme === "images" ? [image] : [])] }),
  ];
  const bound = hasTool(theme) && model.bindTools !== undefined ? model.bindTools([weather]) : model;
  const turns: SeenTurn[] = [];
  for (;;) {
    let message: AIMessage;
    let pieces = 1;
    if (isStream) {
      pieces = 0;
      let whole: AIMessageChunk | null = null;
      for await (const chunk of await bound.stream(messages)) {
        pieces += chunk.text === "" ? 0 : 1;
        whole = whole === null ? (chunk as AIMessageChunk) : whole.concat(chunk as AIMessageChunk);
      }
      message = whole as unknown as AIMessage;
    } else {
      message = (await bound.invoke(messages)) as AIMessage;
    }
    turns.push(readMessage(message, pieces, reading));
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) {
      return turns;
    }
    messages.push(message, ...calls.map(({ id = "" }) => new ToolMessage({ tool_call_id: id, content: toolResult })));
  }
}

function readMessage(message: AIMessage, pieces: number, { finish, reasoning }: Reading): SeenTurn {
  const usage = message.usage_metadata as UsageMetadata | undefined;
  return {
    text: message.text,
    calls: (message.tool_calls ?? []).map(({ name, args }) => ({ name, arguments: args })),
    finish: String(finish(message)),
    reasoning: reasoning(message),
    pieces,
    usage: {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cached: usage?.input_token_details?.cache_read ?? 0,
      ...(usage?.output_token_details?.reasoning === undefined
        ? {}
        : { reasoning: usage.output_token_details.reasoning }),
    },
  };
}

const openaiModel = ({ origin, apiKey, model, theme }: Ask, useResponsesApi: boolean): ChatOpenAI =>
  new ChatOpenAI({
    ...{ apiKey, model, useResponsesApi, maxRetries: 0, streamUsage: true },
    configuration: { baseURL: `${origin}/v1` },
    ...(theme === "thinking"
      ? { reasoning: useResponsesApi ? { effort: "high", summary: "auto" } : { effort: "high" } }
      : {}),
    ...(useResponsesApi ? { zdrEnabled: true } : {}),
  });

const anthropicModel = ({ origin, apiKey, model, theme }: Ask): ChatAnthropic =>
  new ChatAnthropic({
    ...{ apiKey, model, maxRetries: 0, maxTokens: outputTokensMax, anthropicApiUrl: origin },
    ...(theme === "thinking" ? { thinking: { type: "enabled", budget_tokens: thinkingTokensMax } } : {}),
  });

export const langchainTypescript: readonly Client[] = [
  {
    ...{ name: "LangChain TypeScript, openai chat", dialect: "chat", family: "gpt-5.5" },
    note: "it shows no text of the reasoning, as OpenAI's own chat API has none",
    finishes: { done: "stop", calls: "tool_calls" },
    converse: (ask) =>
      converse(ask, openaiModel(ask, false) as unknown as BaseChatModel, {
        finish: (message) => message.response_metadata["finish_reason"],
        reasoning: () => null,
      }),
  },
  {
    ...{ name: "LangChain TypeScript, openai responses", dialect: "responses", family: "gpt-5.5" },
    finishes: { done: "completed", calls: "completed" },
    converse: (ask) =>
      converse(ask, openaiModel(ask, true) as unknown as BaseChatModel, {
        finish: (message) => message.response_metadata["status"],
        reasoning: (message) => {
          const { summary = [] } = (message.additional_kwargs["reasoning"] ?? {}) as { summary?: { text: string }[] };
          return summary.map(({ text }) => text).join("");
        },
      }),
  },
  {
    ...{ name: "LangChain TypeScript, anthropic", dialect: "messages", family: "claude-sonnet-4-5" },
    finishes: { done: "end_turn", calls: "tool_use" },
    note: "of a stream it adds the counts of the first event to those of the last, and takes the input from the first",
    converse: async (ask) =>
      withoutStreamUsage(
        ask,
        await converse(ask, anthropicModel(ask) as unknown as BaseChatModel, {
          finish: (message) => message.response_metadata["stop_reason"] ?? message.additional_kwargs["stop_reason"],
          reasoning: ({ content }) =>
            typeof content === "string"
              ? ""
              : content.map((block) => (block.type === "thinking" ? String(block["thinking"]) : "")).join(""),
        }),
      ),
  },
];

const withoutStreamUsage = ({ isStream }: Ask, turns: readonly SeenTurn[]): readonly SeenTurn[] =>
  isStream ? turns.map((turn) => ({ ...turn, usage: null })) : turns;
