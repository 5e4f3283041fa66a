/** Bodies of the size and shape that clients send, always the same. */

const sentence = "Read the file first, then change what has to change, and say in one line what you did. ";
const code =
  "export function sum(values: readonly number[]): number {\n  return values.reduce((total, value) => total + value, 0);\n}\n";

/** Text of roughly this length, cut off when it is reached. */
const prose = (length: number): string => sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
const source = (length: number): string => code.repeat(Math.ceil(length / code.length)).slice(0, length);
const mark = { cache_control: { type: "ephemeral" } };

/** A plain question with a system prompt: about 2 KB. */
export function smallBody(): string {
  return JSON.stringify({
    model: "claude-test",
    max_tokens: 1_024,
    temperature: 0.2,
    system: [{ type: "text", text: prose(700), ...mark }],
    messages: [
      { role: "user", content: prose(300) },
      { role: "assistant", content: [{ type: "text", text: prose(400) }] },
      { role: "user", content: [{ type: "text", text: prose(250), ...mark }] },
    ],
    stream: true,
    metadata: { user_id: "u".repeat(60) },
  });
}

const toolCount = 24;
const rounds = 18;

/** A typical request of an agent: a long system prompt, 24 tools, 18 rounds of calls: about 100 KB. */
export function agentBody(): string {
  return JSON.stringify({
    model: "claude-test",
    max_tokens: 32_000,
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.197; cc_entrypoint=cli;" },
      { type: "text", text: prose(14_000), ...mark },
    ],
    tools: Array.from({ length: toolCount }, (_, index) => tool(index)),
    messages: [
      { role: "user", content: [{ type: "text", text: prose(2_000) }] },
      ...Array.from({ length: rounds }, (_, round) => exchange(round)).flat(),
    ],
    thinking: { type: "adaptive" },
    stream: true,
    metadata: { user_id: JSON.stringify({ device: "d".repeat(64), session: "s".repeat(36) }) },
    context_management: { edits: [{ type: "clear_thinking", keep: "all" }] },
    output_config: { effort: "medium" },
  });
}

function tool(index: number): object {
  const field = (name: string) => [name, { type: "string", description: prose(90) }] as const;
  return {
    name: index < 20 ? `Tool${index}` : `mcp__${"server".repeat(10)}__tool_${index}`,
    description: prose(700),
    input_schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        ...Object.fromEntries(["path", "pattern", "content"].map(field)),
        limit: { type: "integer", minimum: 0, description: prose(60) },
        options: {
          type: "array",
          items: {
            type: "object",
            properties: Object.fromEntries(["name", "value"].map(field)),
            additionalProperties: false,
          },
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
  };
}

function exchange(round: number): object[] {
  const id = (call: number) => `toolu_${round}_${call}`;
  return [
    { role: "system", content: [{ type: "text", text: prose(120) }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: prose(200), signature: "" },
        { type: "text", text: prose(120) },
        { type: "tool_use", id: id(0), name: "Tool1", input: { path: `/src/file-${round}.ts`, limit: 200 } },
        {
          type: "tool_use",
          id: id(1),
          name: "Tool2",
          input: { path: `/src/file-${round}.ts`, content: source(300), options: [{ name: "mode", value: "644" }] },
        },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id(1), content: "written" },
        { type: "tool_result", tool_use_id: id(0), content: [{ type: "text", text: source(900) }] },
      ],
    },
  ];
}

const wordsPerAnswer = 300;

/** The body of an upstream's stream: text, then a tool call, in many small chunks, as `data` of the events. */
export function streamData(): string[] {
  const chunk = (delta: object, more: object = {}) =>
    JSON.stringify({
      id: "chatcmpl-0123456789abcdef0123456789",
      object: "chat.completion.chunk",
      created: 1_790_000_000,
      model: "gpt-4o-mini-2024-07-18",
      service_tier: "default",
      system_fingerprint: "fp_0123456789",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
      usage: null,
      obfuscation: "abcdefgh",
      ...more,
    });
  const words = prose(2_000).split(" ");
  const args = JSON.stringify({ path: "/src/a.ts", content: source(1_200) }).match(/[\s\S]{1,12}/g) ?? [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...Array.from({ length: wordsPerAnswer }, (_, index) => chunk({ content: ` ${words[index % words.length]}` })),
    chunk({ tool_calls: [{ index: 0, id: "call_0", type: "function", function: { name: "Tool1", arguments: "" } }] }),
    ...args.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({}, { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "tool_calls" }] }),
    chunk(
      {},
      {
        choices: [],
        usage: { prompt_tokens: 900, completion_tokens: 700, prompt_tokens_details: { cached_tokens: 512 } },
      },
    ),
  ];
}

/** A complete response with text and a tool call: about 2 KB. */
export function answerBody(): string {
  const call = {
    id: "call_0",
    type: "function",
    function: { name: "Tool1", arguments: JSON.stringify({ path: "/a.ts", content: source(400) }) },
  };
  return JSON.stringify({
    id: "chatcmpl-0",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "gpt-4o-mini-2024-07-18",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: prose(1_000), tool_calls: [call], refusal: null },
        finish_reason: "tool_calls",
      },
    ],
    usage: {
      prompt_tokens: 900,
      completion_tokens: 300,
      total_tokens: 1_200,
      prompt_tokens_details: { cached_tokens: 512 },
    },
  });
}
