/**
 * Requests as editors send them: Cline and Continue, which can't be run without an editor. Both only stream, and read the
 * events by hand here.
 */
import {
  type Ask,
  type Client,
  hasTool,
  outputTokensMax,
  picture,
  type SeenTurn,
  systemText,
  toolName,
  toolResult,
  toolSchema,
  toolText,
} from "../model.ts";

type Message = Readonly<Record<string, unknown>>;
type Sample = {
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  readonly body: (ask: Ask, messages: readonly Message[]) => object;
};
type Call = { id: string; name: string; arguments: string };
type Delta = {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
};
type Chunk = {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
};

class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(body);
    this.name = "RefusedError";
    this.status = status;
  }
}

async function converse(ask: Ask, { headers, body }: Sample): Promise<SeenTurn[]> {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } };
  const content = [{ type: "text", text: ask.prompt }, ...(ask.theme === "images" ? [image] : [])];
  const messages: Message[] = [
    { role: "system", content: systemText },
    { role: "user", content },
  ];
  const turns: SeenTurn[] = [];
  for (;;) {
    const response = await fetch(`${ask.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers(ask.apiKey) },
      body: JSON.stringify(body(ask, messages)),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new RefusedError(response.status, text);
    }
    const { turn, calls } = readEvents(text);
    turns.push(turn);
    if (calls.length === 0) {
      return turns;
    }
    const made = calls.map((call) => ({
      ...{ id: call.id, type: "function" },
      function: { name: call.name, arguments: call.arguments },
    }));
    messages.push({ role: "assistant", content: turn.text, tool_calls: made });
    messages.push(...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: toolResult })));
  }
}

function readEvents(text: string): { readonly turn: SeenTurn; readonly calls: readonly Call[] } {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
  if (events.pop() !== "[DONE]") {
    throw new Error("the stream did not end with [DONE]");
  }
  const chunks = events.map((data) => JSON.parse(data) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls: Call[] = [];
  for (const { index, id, function: named } of deltas.flatMap(({ tool_calls = [] }) => tool_calls)) {
    calls[index] ??= { id: "", name: "", arguments: "" };
    calls[index].id += id ?? "";
    calls[index].name += named?.name ?? "";
    calls[index].arguments += named?.arguments ?? "";
  }
  const usage = chunks.findLast((chunk) => chunk.usage != null)?.usage;
  const texts = deltas.map(({ content }) => content ?? "").filter((piece) => piece !== "");
  const turn = {
    text: texts.join(""),
    calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
    finish:
      chunks.flatMap(({ choices }) => choices).findLast((one) => one.finish_reason !== null)?.finish_reason ?? null,
    reasoning: deltas.map(({ reasoning_content }) => reasoning_content ?? "").join(""),
    pieces: texts.length,
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
  return { turn, calls };
}

const chatTool = { type: "function", function: { name: toolName, description: toolText, parameters: toolSchema } };

/** Cline with an OpenAI compatible provider: usage asked for, a temperature, the effort where it is set. */
const cline: Sample = {
  headers: (apiKey) => ({
    accept: "application/json",
    authorization: `Bearer ${apiKey}`,
    "user-agent": "Cline/3.60.0",
    "http-referer": "https://cline.example",
    "x-title": "Cline",
    "x-stainless-lang": "js",
    "x-stainless-retry-count": "0",
  }),
  body: ({ model, theme }, messages) => ({
    ...{ model, messages, temperature: 0, stream: true, stream_options: { include_usage: true } },
    ...(theme === "thinking" ? { reasoning_effort: "high" } : {}),
    ...(hasTool(theme) ? { tools: [{ ...chatTool }], tool_choice: "auto", parallel_tool_calls: false } : {}),
  }),
};

/** Continue: the key in two headers, and a limit on the output. */
const continueEditor: Sample = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}`, "api-key": apiKey, "user-agent": "Continue/1.5.0" }),
  body: ({ model, theme }, messages) => ({
    ...{ messages, model, max_tokens: outputTokensMax, stream: true },
    ...{ stream_options: { include_usage: true } },
    ...(theme === "thinking" ? { reasoning_effort: "high" } : {}),
    ...(hasTool(theme) ? { tools: [chatTool], tool_choice: "auto" } : {}),
  }),
};

const sample = (name: string, requests: Sample): Client => ({
  ...{ name, dialect: "chat", family: "gpt-5.5", finishes: { done: "stop", calls: "tool_calls" } },
  cannot: { whole: "it only streams" },
  converse: (ask) => converse(ask, requests),
});

export const requestSamples: readonly Client[] = [
  sample("requests like Cline's", cline),
  sample("requests like Continue's", continueEditor),
];
