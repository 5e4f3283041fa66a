import { describe, expect, test } from "bun:test";
import { estimateInputTokens, estimateTextTokens } from "@sluice/messages-conversion/estimate-tokens";
import { upstreamBody } from "../../support/messages/messages-calls.ts";

const tokensOf = (fields: { [field: string]: unknown }) => estimateInputTokens(upstreamBody(fields, { files: true }));
const plain = tokensOf({});

describe("count_tokens: an estimate of tokens", () => {
  // Counts of a current tokenizer with a vocabulary of 200,000, taken once.
  test.each<[string, string, number]>([
    [
      "prose",
      "The relay forwards the request unchanged to the gateway, which checks the key and holds quota for it.",
      20,
    ],
    [
      "code",
      "export function idsOf(models: readonly Model[]): string[] {\n  return models.map(({ id }) => id);\n}\n",
      23,
    ],
    [
      "JSON",
      '{"type":"object","properties":{"path":{"type":"string","description":"Absolute path"}},"required":["path"]}',
      24,
    ],
    ["Chinese", "这个服务把请求转换为聊天补全格式，然后通过同一个网关发送。", 18],
    ["Russian", "Этот сервис преобразует запросы в формат чата и отправляет их.", 15],
  ])("%s is within a third", (_kind, text, tokens) => {
    const estimate = estimateTextTokens(text);
    expect(estimate).toBeGreaterThan(tokens * 0.67);
    expect(estimate).toBeLessThan(tokens * 1.5);
  });

  test("is an integer of at least 1", () => {
    expect(estimateTextTokens("")).toBe(0);
    expect(estimateInputTokens({ model: "m", messages: [], stream: false })).toBe(1);
    expect(Number.isInteger(plain)).toBe(true);
  });

  test.each<[string, { [field: string]: unknown }]>([
    ["the system prompt", { system: "Be kind to everybody." }],
    ["tools", { tools: [{ name: "f", description: "finds things", input_schema: { type: "object" } }] }],
    [
      "the schema of the response",
      {
        output_config: {
          format: { type: "json_schema", schema: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    ],
    [
      "earlier calls and results",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { path: "/a/b" } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "found" }] },
        ],
      },
    ],
  ])("%s counts", (_what, fields) => {
    expect(tokensOf(fields)).toBeGreaterThan(plain + 4);
  });

  test("an image and a document count by their kind and size, not by their letters", () => {
    const image = (length: number) => ({
      messages: [
        {
          role: "user",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(length) } }],
        },
      ],
    });
    const pdf = (length: number) => ({
      messages: [
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "A".repeat(length) } },
          ],
        },
      ],
    });
    expect(tokensOf(image(1_000_000))).toBe(tokensOf(image(10)));
    expect(tokensOf(pdf(1_000_000))).toBeGreaterThan(tokensOf(pdf(10)));
    expect(tokensOf(pdf(1_000_000))).toBeLessThan(100_000);
  });
});
