import { describe, expect, test } from "bun:test";
import type { MessageCreateParamsBase } from "@anthropic-ai/sdk/resources/messages";
import type { MessagesRequest } from "@sluice/dialect-conversion/chat-to-messages/messages-request";
import { ConversionError, type ConversionFlags, type JsonObject } from "@sluice/dialect-conversion/model";
import { RequestRefused } from "@sluice/sandbox-provider/api/json-answer";
import { sign } from "@sluice/sandbox-provider/api/signature";
import { checkSampling, checkTools } from "@sluice/sandbox-provider/messages/check-request";
import { checkTurns } from "@sluice/sandbox-provider/messages/check-turns";
import { parseMessageRequest } from "@sluice/sandbox-provider/messages/request-schema";
import fc from "fast-check";
import { convertChat } from "../../../support/conversion/chat-to-messages.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 5_000 : 100;

const flags: fc.Arbitrary<Partial<ConversionFlags>> = fc.record({
  thinking: fc.constantFrom("adaptive", "always", "budget", "none"),
  systemTurns: fc.boolean(),
  sampling: fc.boolean(),
  automaticCaching: fc.boolean(),
});

/** The official client's type accepts every body; this is checked where it is compiled. */
const asOfficial = (body: MessagesRequest): MessageCreateParamsBase => body;

type Body = ReturnType<typeof asOfficial>;
const bodyOf = (request: object, settings: Partial<ConversionFlags>): Body =>
  asOfficial(convertChat(request, settings).body as MessagesRequest);

const signatureKey = "key";

const words = fc.constantFrom("a", "b c", "", " \n", "水");
const textPart = words.map((text) => ({ type: "text", text }));
const imagePart = fc.constant({ type: "image_url", image_url: { url: "data:image/png;base64,AA" } });
const content = fc.oneof(words, fc.array(textPart, { maxLength: 3 }));
const ids = fc.constantFrom("c1", "c2", "call:1", "é", "call_1");

const spoken = fc.record({
  role: fc.constant("assistant"),
  content: fc.oneof(content, fc.constant(null)),
  tool_calls: fc.option(
    fc.array(
      ids.map((id) => ({ id, type: "function", function: { name: "f.g", arguments: '{"a":1}' } })),
      { maxLength: 3 },
    ),
  ),
  reasoning_details: fc.option(
    fc.array(
      fc.tuple(words, fc.boolean()).map(([text, isSigned]) => ({
        ...{ type: "reasoning.text", text },
        signature: isSigned ? sign(text, signatureKey) : "",
      })),
      { maxLength: 2 },
    ),
  ),
});
const said = fc.oneof(
  fc.record({ role: fc.constant("user"), content: fc.oneof(content, fc.array(imagePart, { maxLength: 2 })) }),
  fc.record({ role: fc.constantFrom("system", "developer"), content }),
);

/** What an assistant said with the results of its calls, in any order and among other messages. */
const exchange = fc
  .tuple(spoken, fc.array(said, { maxLength: 3 }), fc.nat())
  .map(([message, others, seed]): JsonObject[] => {
    const results = (message.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "r" }));
    const mixed = [...results, ...others].map((entry, index) => ({ entry, key: ((index + 1) * (seed + 7)) % 11 }));
    return [message, ...mixed.toSorted((a, b) => a.key - b.key).map(({ entry }) => entry)];
  });

const histories = fc
  .tuple(fc.array(said, { maxLength: 3 }), fc.array(exchange, { maxLength: 4 }))
  .map(([first, later]) => [...first, ...later.flat()]);

type Turn = { readonly role: string; readonly content: readonly JsonObject[] };

function expectTurns(turns: readonly Turn[]): void {
  const taken = new Set<unknown>();
  expect(turns[0]?.role).toBe("user");
  expect(turns.at(-1)?.role).not.toBe("assistant");
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1];
    expect(turn.content.length).toBeGreaterThan(0);
    expect(next?.role).not.toBe(turn.role);
    if (turn.role === "system") {
      expect([turns[index - 1]?.role, next?.role ?? "assistant"]).toEqual(["user", "assistant"]);
    }
    const calls = turn.content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const results = (next?.content ?? []).flatMap(({ type, tool_use_id: id }) => (type === "tool_result" ? [id] : []));
    if (turn.role === "assistant") {
      expect(results).toEqual(calls);
      expect(next?.content.slice(0, calls.length).every(({ type }) => type === "tool_result")).toBe(true);
    }
    for (const id of calls) {
      expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(taken.has(id)).toBe(false);
      taken.add(id);
    }
    expect(turn.content.at(-1)?.["type"]).not.toBe("thinking");
    for (const { type, text } of turn.content) {
      expect(type === "text" && String(text).trim() === "").toBe(false);
    }
  }
}

/** What the sandbox refuses, which has the rules of the real provider; null if it accepts the body. */
function refusalOf(body: Body): string | null {
  try {
    const parsed = parseMessageRequest(JSON.parse(JSON.stringify(body)) as JsonObject);
    checkTurns(parsed, signatureKey);
    checkTools(parsed);
    checkSampling(parsed, "2023-06-01");
    return null;
  } catch (error) {
    if (error instanceof RequestRefused) {
      return error.message;
    }
    throw error;
  }
}

/** Converts, or returns null for a request that is refused as it should be. */
function convertOrRefuse(request: object, settings: Partial<ConversionFlags>): Body | null {
  try {
    return bodyOf(request, settings);
  } catch (error) {
    expect(error).toBeInstanceOf(ConversionError);
    return null;
  }
}

/** Nothing of the message is left when it is converted. */
function isBlank({ content: parts, tool_calls: calls }: JsonObject): boolean {
  const isSilent = !/"(a|b c|水|image_url)"/.test(JSON.stringify(parts ?? null));
  return isSilent && ((calls ?? []) as unknown[]).length === 0;
}

describe("any history", () => {
  test("becomes turns that alternate from the user on, with a result for every call", () => {
    let converted = 0;
    fc.assert(
      fc.property(histories, flags, (messages, settings) => {
        const body = convertOrRefuse({ messages }, settings);
        expect(body === null && !messages.every(isBlank)).toBe(false);
        expectTurns((body?.messages as unknown as Turn[] | undefined) ?? [{ role: "user", content: [{}] }]);
        expect(body === null ? null : refusalOf(body)).toBeNull();
        converted += body === null ? 0 : 1;
      }),
      { numRuns: runs },
    );
    expect(converted).toBeGreaterThan(runs / 2);
  });

  test("with results missing, double or lost is refused, or the same holds", () => {
    const loose = fc.record({ role: fc.constant("tool"), tool_call_id: ids, content });
    fc.assert(
      fc.property(fc.array(fc.oneof(said, spoken, loose), { maxLength: 8 }), flags, (messages, settings) => {
        const body = convertOrRefuse({ messages }, settings);
        expectTurns((body?.messages as unknown as Turn[] | undefined) ?? [{ role: "user", content: [{}] }]);
      }),
      { numRuns: runs },
    );
  });

  test("keeps its beginning when it grows, so that caches and signatures hold", () => {
    const question = { role: "user", content: "a" };
    fc.assert(
      fc.property(
        fc.array(said, { maxLength: 3 }),
        fc.array(exchange, { maxLength: 4 }),
        flags,
        (first, later, set) => {
          const turnsAt = (count: number): Turn[] => {
            const messages = [question, ...first, ...later.slice(0, count).flatMap((turn) => [...turn, question])];
            return bodyOf({ messages }, set).messages as unknown as Turn[];
          };
          for (let count = 1; count <= later.length; count += 1) {
            // What the user said last can still grow.
            const shorter = turnsAt(count - 1);
            const kept = shorter.slice(
              0,
              shorter.findLastIndex(({ role }) => role === "user"),
            );
            expect(turnsAt(count).slice(0, kept.length)).toEqual(kept);
          }
        },
      ),
      { numRuns: Math.ceil(runs / 3) },
    );
  });

  test("is not modified, and gives the same body every time", () => {
    fc.assert(
      fc.property(histories, flags, (messages, settings) => {
        const copy = structuredClone(messages);
        const once = JSON.stringify(convertOrRefuse({ messages }, settings));
        expect(messages).toEqual(copy);
        expect(JSON.stringify(convertOrRefuse({ messages: copy }, settings))).toBe(once);
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  });
});

const rich: JsonObject = {
  model: "m",
  messages: [
    { role: "system", content: "S" },
    {
      role: "user",
      content: [
        { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "5m" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "low" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" } },
      ],
    },
    {
      role: "assistant",
      content: "b",
      refusal: null,
      reasoning_details: [
        { type: "reasoning.text", id: "block_0", text: "t", signature: sign("t", signatureKey), index: 0 },
      ],
      thinking_blocks: [{ type: "redacted_thinking", data: "d" }],
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":[1]}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "r" }] },
    { role: "developer", content: "D" },
  ],
  tools: [
    { type: "function", function: { name: "f", description: "d", parameters: { type: "object" }, strict: true } },
  ],
  tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [{ function: { name: "f" } }] } },
  parallel_tool_calls: false,
  response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
  reasoning_effort: "low",
  reasoning: { effort: "low", max_tokens: 1_000, enabled: true },
  thinking: { type: "enabled", budget_tokens: 2_000 },
  cache_control: { type: "ephemeral" },
  ...{ max_tokens: 100, max_completion_tokens: 100, temperature: 0.5, top_p: 0.5, n: 1, stop: ["x"], stream: true },
  ...{
    stream_options: { include_usage: true },
    logit_bias: {},
    modalities: ["text"],
    service_tier: "auto",
    store: false,
  },
};

/** A copy with another value at a place, which is chosen by walking down for as long as the numbers last. */
function replaced(value: unknown, path: readonly number[], other: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) {
    return other;
  }
  const entries = Object.entries(value);
  const chosen = entries.length === 0 ? undefined : entries[step % entries.length];
  if (chosen === undefined) {
    return other;
  }
  const [name, inner] = chosen;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as { [field: string]: unknown };
  copy[name] = replaced(inner, rest, other);
  return copy;
}

/** What only the provider can judge: its signatures, and the client's own marks of the cache. */
const ofClient =
  /^$|^messages\.\d+\.content\.\d+: Invalid `(signature|data)` in|^A maximum of 4 blocks with cache_control/;

describe("a request with anything in any place", () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(null, -1, 0, 1e300, "", "x", [], {}, [null], [[]], [{}], { type: "text" }, "__proto__"),
  );

  test("is converted or refused, and nothing else", () => {
    expect(convertOrRefuse(rich, {})).not.toBeNull();
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 1, maxLength: 7 }), odd, flags, (path, other, settings) => {
        const body = convertOrRefuse(replaced(rich, path, other) as object, settings);
        expect(body === null ? "" : (refusalOf(body) ?? "")).toMatch(ofClient);
      }),
      { numRuns: runs * 10 },
    );
  });

  test("is converted or refused when it is nothing but JSON", () => {
    const fields = fc.constantFrom(...Object.keys(rich));
    fc.assert(
      fc.property(fc.dictionary(fields, fc.jsonValue({ maxDepth: 4 })), flags, (request, settings) => {
        convertOrRefuse(request, settings);
      }),
      { numRuns: runs * 3 },
    );
  });
});
