export type SnippetId = "curl" | "python" | "typescript" | "anthropic" | "claude-code" | "codex" | "cursor" | "env";

export type Snippet = { readonly id: SnippetId; readonly label: string; readonly code: string };

export type SnippetParts = {
  /** The base URL of this service, without a trailing slash. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
};

/** A call with each tool. The Messages tools add `/v1` themselves, the others are given it. */
export function makeSnippets({ origin, apiKey, model }: SnippetParts): readonly Snippet[] {
  const base = `${origin}/v1`;
  const messagesBase = `${origin}/msgcompat`;
  return [
    {
      id: "curl",
      label: "curl",
      code: `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
    },
    {
      id: "python",
      label: "OpenAI Python",
      code: `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${apiKey}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: "typescript",
      label: "OpenAI TypeScript",
      code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: "${apiKey}" });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0]?.message.content);`,
    },
    {
      id: "anthropic",
      label: "Anthropic SDK",
      code: `from anthropic import Anthropic

client = Anthropic(base_url="${messagesBase}", api_key="${apiKey}")
answer = client.messages.create(
    model="${model}",
    max_tokens=256,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`,
    },
    {
      id: "claude-code",
      label: "Claude Code",
      code: `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL="${messagesBase}"
export ANTHROPIC_AUTH_TOKEN="${apiKey}"
export ANTHROPIC_MODEL="${model}"
claude`,
    },
    {
      id: "codex",
      label: "Codex",
      code: `# ~/.codex/config.toml
model = "${model}"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${base}"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"

# in the shell
# export GATEWAY_API_KEY="${apiKey}"`,
    },
    {
      id: "cursor",
      label: "Cursor",
      code: `# Settings, Models
OpenAI API Key: ${apiKey}
Override OpenAI Base URL: ${base}
Model: ${model}`,
    },
    {
      id: "env",
      label: ".env",
      code: `OPENAI_BASE_URL=${base}
OPENAI_API_KEY=${apiKey}`,
    },
  ];
}
