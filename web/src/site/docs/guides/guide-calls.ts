import type { ExampleCall } from "../api/example-call.ts";

const chat = {
  client: "openai",
  method: "POST",
  path: "/v1/chat/completions",
  call: "chat.completions.create",
  result: { field: "choices[0].message.content" },
} as const;

/** The calls of the guides that are a single request. */
export const guideCalls = {
  vision: {
    ...chat,
    body: {
      model: "{{model}}",
      max_tokens: 300,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is in this picture?" },
            { type: "image_url", image_url: { url: "https://example.com/lighthouse.png" } },
          ],
        },
      ],
    },
  },
  structured: {
    ...chat,
    body: {
      model: "{{model}}",
      max_tokens: 300,
      messages: [{ role: "user", content: "Anna Meyer lives in Berlin." }],
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "person",
          strict: true,
          schema: {
            type: "object",
            properties: { name: { type: "string" }, city: { type: "string" } },
            required: ["name", "city"],
            additionalProperties: false,
          },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, ExampleCall>>;
