/** The official OpenAI client for TypeScript, with both of its APIs. */
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { FunctionTool, ResponseInputItem } from "openai/resources/responses/responses";
import {
  type Ask,
  type Client,
  hasTool,
  picture,
  type SeenTurn,
  systemText,
  toolName,
  toolResult,
  toolSchema,
  toolText,
} from "../model.ts";

const clientFor = ({ origin, apiKey }: Ask): OpenAI => new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0 });
const dataUrl = `data:image/png;base64,${picture}`;

const chatTool: ChatCompletionTool = {
  type: "function",
  function: { name: toolName, description: toolText, parameters: toolSchema },
};

/** The reasoning of providers, for which the client has no field of its own. */
type WithReasoning = { readonly reasoning_content?: string | null };

function chatPrompt({ prompt, theme }: Ask): ChatCompletionMessageParam[] {
  const image = { type: "image_url" as const, image_url: { url: dataUrl } };
  const content = theme === "images" ? [{ type: "text" as const, text: prompt }, image] : prompt;
  return [
    { role: "system", content: systemText },
    { role: "user", content },
  ];
}

async function converseByChat(ask: Ask): Promise<SeenTurn[]> {
  const { theme, model, isStream } = ask;
  const messages = chatPrompt(ask);
  const turns: SeenTurn[] = [];
  for (;;) {
    const request = {
      ...{ model, messages },
      ...(hasTool(theme) ? { tools: [chatTool] } : {}),
      ...(theme === "thinking" ? { reasoning_effort: "high" as const } : {}),
    };
    let pieces = 1;
    let reasoning = "";
    let completion: OpenAI.ChatCompletion;
    if (isStream) {
      const stream = clientFor(ask).chat.completions.stream({ ...request, stream_options: { include_usage: true } });
      pieces = 0;
      stream.on("content", () => {
        pieces += 1;
      });
      stream.on("chunk", ({ choices }) => {
        reasoning += (choices[0]?.delta as WithReasoning | undefined)?.reasoning_content ?? "";
      });
      completion = await stream.finalChatCompletion();
    } else {
      completion = await clientFor(ask).chat.completions.create(request);
      reasoning = (completion.choices[0]?.message as WithReasoning | undefined)?.reasoning_content ?? "";
    }
    const turn = readCompletion(completion, reasoning, pieces);
    turns.push(turn);
    const message = completion.choices[0]?.message;
    if (message?.tool_calls === undefined || message.tool_calls.length === 0) {
      return turns;
    }
    messages.push(message);
    messages.push(
      ...message.tool_calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: toolResult })),
    );
  }
}

function readCompletion({ choices, usage }: OpenAI.ChatCompletion, reasoning: string, pieces: number): SeenTurn {
  const [choice] = choices;
  return {
    text: choice?.message.content ?? "",
    calls: (choice?.message.tool_calls ?? []).map((call) =>
      call.type === "function"
        ? { name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }
        : { name: call.custom.name, arguments: call.custom.input },
    ),
    finish: choice?.finish_reason ?? null,
    reasoning,
    pieces,
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

const responseTool: FunctionTool = {
  ...{ type: "function", name: toolName, description: toolText, strict: false },
  parameters: toolSchema,
};

async function converseByResponses(ask: Ask): Promise<SeenTurn[]> {
  const { theme, model, isStream, prompt } = ask;
  const image = { type: "input_image" as const, image_url: dataUrl, detail: "auto" as const };
  const content = [{ type: "input_text" as const, text: prompt }, ...(theme === "images" ? [image] : [])];
  const input: ResponseInputItem[] = [{ role: "user", content }];
  const turns: SeenTurn[] = [];
  for (;;) {
    const request = {
      ...{ model, input, instructions: systemText, store: false },
      ...(hasTool(theme) ? { tools: [responseTool] } : {}),
      ...(theme === "thinking"
        ? {
            reasoning: { effort: "high" as const, summary: "auto" as const },
            include: ["reasoning.encrypted_content" as const],
          }
        : {}),
    };
    let pieces = 1;
    let response: OpenAI.Responses.Response;
    if (isStream) {
      pieces = 0;
      const stream = clientFor(ask).responses.stream(request);
      stream.on("response.output_text.delta", () => {
        pieces += 1;
      });
      response = await stream.finalResponse();
    } else {
      response = await clientFor(ask).responses.create(request);
    }
    turns.push(readResponse(response, pieces));
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) {
      return turns;
    }
    input.push(...(response.output as ResponseInputItem[]));
    input.push(
      ...calls.map((call) => ({ type: "function_call_output" as const, call_id: call.call_id, output: toolResult })),
    );
  }
}

function readResponse({ output, output_text, status, usage }: OpenAI.Responses.Response, pieces: number): SeenTurn {
  return {
    text: output_text,
    calls: output
      .filter((item) => item.type === "function_call")
      .map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
    finish: status ?? null,
    reasoning: output
      .filter((item) => item.type === "reasoning")
      .flatMap(({ summary }) => summary.map((part) => part.text))
      .join(""),
    pieces,
    usage: {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
  };
}

export const openaiTypescript: readonly Client[] = [
  {
    name: "OpenAI TypeScript, chat",
    dialect: "chat",
    family: "gpt-5.5",
    finishes: { done: "stop", calls: "tool_calls" },
    converse: converseByChat,
  },
  {
    name: "OpenAI TypeScript, responses",
    dialect: "responses",
    family: "gpt-5.5",
    finishes: { done: "completed", calls: "completed" },
    converse: converseByResponses,
  },
];
