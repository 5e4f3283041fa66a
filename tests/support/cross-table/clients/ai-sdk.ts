/** The AI SDK with the providers of OpenAI, Anthropic and Google, and the one for compatible servers. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, type LanguageModel, type StepResult, streamText, tool } from "ai";
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

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;
type Provider = {
  readonly modelFor: (ask: Ask) => LanguageModel;
  readonly thinking: ProviderOptions;
  readonly always?: ProviderOptions;
};

const weather = tool({
  description: toolText,
  inputSchema: jsonSchema<{ city: string; days: number }>(toolSchema),
  execute: () => toolResult,
});
const tools = { [toolName]: weather };

async function converse(ask: Ask, { modelFor, thinking, always = {} }: Provider): Promise<SeenTurn[]> {
  const { theme, prompt, isStream } = ask;
  const image = { type: "file" as const, mediaType: "image/png", data: picture };
  const request = {
    model: modelFor(ask),
    instructions: systemText,
    messages: [
      {
        role: "user" as const,
        content: [{ type: "text" as const, text: prompt }, ...(theme === "images" ? [image] : [])],
      },
    ],
    maxOutputTokens: outputTokensMax,
    maxRetries: 0,
    providerOptions: theme === "thinking" ? thinking : always,
    ...(hasTool(theme) ? { tools, stopWhen: isStepCount(3) } : {}),
  };
  if (!isStream) {
    const { steps } = await generateText(request);
    return steps.map((step) => readStep(step, 1));
  }
  const thrown: unknown[] = [];
  const result = streamText({ ...request, onError: ({ error }) => void thrown.push(error) });
  const pieces = [0];
  for await (const part of result.fullStream) {
    if (part.type === "text-delta" && part.text !== "") {
      pieces.push((pieces.pop() ?? 0) + 1);
    } else if (part.type === "finish-step") {
      pieces.push(0);
    }
  }
  if (thrown.length > 0) {
    throw thrown[0];
  }
  return (await result.steps).map((step, index) => readStep(step, pieces[index] ?? 0));
}

type Step = Pick<StepResult<typeof tools, never>, "text" | "toolCalls" | "finishReason" | "usage" | "reasoningText">;

function readStep({ text, toolCalls, finishReason, usage, reasoningText = "" }: Step, pieces: number): SeenTurn {
  return {
    text,
    calls: toolCalls.map((call) => ({ name: call.toolName, arguments: call.input })),
    finish: finishReason,
    reasoning: reasoningText,
    pieces,
    usage: {
      input: usage.inputTokens ?? 0,
      output: usage.outputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      // The Messages API had no count of its own for it for long, and the client shows none.
      ...(usage.outputTokenDetails.reasoningTokens === undefined
        ? {}
        : { reasoning: usage.outputTokenDetails.reasoningTokens }),
    },
  };
}

const finishes = { done: "stop", calls: "tool-calls" };

export const aiSdk: readonly Client[] = [
  {
    ...{ name: "AI SDK, openai-compatible", dialect: "chat", family: "gpt-5.5", finishes },
    converse: (ask) =>
      converse(ask, {
        modelFor: ({ origin, apiKey, model }) =>
          createOpenAICompatible({ name: "sluice", baseURL: `${origin}/v1`, apiKey, includeUsage: true }).chatModel(
            model,
          ),
        thinking: { sluice: { reasoningEffort: "high" } },
      }),
  },
  {
    ...{ name: "AI SDK, openai chat", dialect: "chat", family: "gpt-5.5", finishes },
    note: "it shows no text of the reasoning, as OpenAI's own chat API has none",
    converse: async (ask) =>
      withoutReasoning(
        await converse(ask, {
          modelFor: ({ origin, apiKey, model }) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).chat(model),
          thinking: { openai: { reasoningEffort: "high" } },
        }),
      ),
  },
  {
    ...{ name: "AI SDK, openai responses", dialect: "responses", family: "gpt-5.5", finishes },
    converse: (ask) =>
      converse(ask, {
        modelFor: ({ origin, apiKey, model }) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).responses(model),
        thinking: { openai: { store: false, reasoningEffort: "high", reasoningSummary: "auto" } },
        always: { openai: { store: false } },
      }),
  },
  {
    ...{ name: "AI SDK, anthropic", dialect: "messages", family: "claude-sonnet-4-5", finishes },
    converse: (ask) =>
      converse(ask, {
        modelFor: ({ origin, apiKey, model }) => createAnthropic({ baseURL: `${origin}/v1`, apiKey })(model),
        thinking: { anthropic: { thinking: { type: "enabled", budgetTokens: thinkingTokensMax } } },
      }),
  },
  {
    ...{ name: "AI SDK, google", dialect: "gemini", family: "gemini-3-pro", finishes },
    converse: (ask) =>
      converse(ask, {
        modelFor: ({ origin, apiKey, model }) => createGoogle({ baseURL: `${origin}/v1beta`, apiKey })(model),
        thinking: { google: { thinkingConfig: { includeThoughts: true } } },
      }),
  },
];

/** OpenAI's own chat API never shows the reasoning, so the client does not look for it. */
const withoutReasoning = (turns: readonly SeenTurn[]): readonly SeenTurn[] =>
  turns.map((turn) => ({ ...turn, reasoning: null }));
