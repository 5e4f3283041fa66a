/** A first call with each client. */
export type Snippet = { readonly id: string; readonly label: string; readonly code: string };

export function firstCallSnippets(origin: string, model: string): readonly Snippet[] {
  return [
    {
      id: "curl",
      label: "curl",
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    },
    {
      id: "python",
      label: "Python",
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["API_KEY"])
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: "typescript",
      label: "TypeScript",
      code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.API_KEY });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: "claude-code",
      label: "Claude Code",
      code: `export ANTHROPIC_BASE_URL="${origin}/msgcompat"
export ANTHROPIC_AUTH_TOKEN="$API_KEY"
unset ANTHROPIC_API_KEY
claude`,
    },
  ];
}
