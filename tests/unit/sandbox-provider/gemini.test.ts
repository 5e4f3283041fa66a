import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";

const provider = startSandboxProvider({ requiredKey: "right", createdAtSeconds: 1_767_225_600 });
const user = (...texts: readonly string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
const hello = { contents: [user("hello")] };
const key = { "x-goog-api-key": "right" };

afterEach(() => provider.reset());
afterAll(() => provider.stop());

type Received = { readonly status: number; readonly text: string };

async function send(
  body: unknown,
  action = "generateContent",
  { model = "gemini-2.5-flash", headers = key }: { model?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Received> {
  const url = `${provider.url}/v1beta/models/${model}:${action}`;
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

const contentOf = async (body: unknown, model?: string): Promise<Record<string, unknown>> =>
  JSON.parse((await send(body, "generateContent", model === undefined ? {} : { model })).text);

async function chunksOf(body: unknown): Promise<readonly unknown[]> {
  const { text } = await send(body, "streamGenerateContent?alt=sse");
  return text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(6)));
}

describe("content", () => {
  test("names the sandbox, and counts thoughts beside the candidates", async () => {
    const generationConfig = { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } };
    const { candidates, usageMetadata, modelVersion } = await contentOf({ ...hello, generationConfig });
    const text = (candidates as { content: { parts: { text: string }[] } }[])[0]?.content.parts[1]?.text ?? "";
    const answered = Math.ceil(Buffer.byteLength(text) / 4);
    expect(modelVersion).toBe("gemini-2.5-flash");
    expect(candidates).toMatchObject([
      {
        content: { role: "model", parts: [{ thought: true }, { text: expect.stringContaining('You wrote: "hello"') }] },
        finishReason: "STOP",
      },
    ]);
    expect(usageMetadata).toMatchObject({
      promptTokenCount: 2,
      candidatesTokenCount: answered,
      thoughtsTokenCount: 64,
      totalTokenCount: 66 + answered,
    });
  });

  test("streams the same text with the usage so far in every chunk, as events or as an array", async () => {
    provider.script({ text: "one two three" }, { times: 2 });
    const chunks = await chunksOf(hello);
    expect(chunks).toMatchObject([
      { candidates: [{ content: { parts: [{ text: "one " }] } }], usageMetadata: { candidatesTokenCount: 1 } },
      { candidates: [{ content: { parts: [{ text: "two " }] } }], usageMetadata: { candidatesTokenCount: 2 } },
      { candidates: [{ content: { parts: [{ text: "three" }] } }], usageMetadata: { candidatesTokenCount: 4 } },
      { candidates: [{ finishReason: "STOP" }], usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 4 } },
    ]);
    const array = JSON.parse((await send(hello, "streamGenerateContent")).text);
    expect(array.map(({ usageMetadata }: { usageMetadata: object }) => usageMetadata)).toEqual(
      chunks.map((chunk) => (chunk as { usageMetadata: object }).usageMetadata),
    );
  });

  test("obeys the limit, the stop sequences and a schema with Google's types", async () => {
    const config = async (generationConfig: object): Promise<unknown> =>
      (await contentOf({ ...hello, generationConfig }))["candidates"];
    expect(await config({ maxOutputTokens: 2 })).toMatchObject([{ finishReason: "MAX_TOKENS" }]);
    expect(await config({ stop_sequences: ["not a real"] })).toMatchObject([
      { finishReason: "STOP", content: { parts: [{ text: expect.stringMatching(/provider, $/) }] } },
    ]);
    const responseSchema = { type: "OBJECT", properties: { n: { type: "INTEGER", minimum: 7 } }, required: ["n"] };
    expect(await config({ responseMimeType: "application/json", responseSchema })).toMatchObject([
      { content: { parts: [{ text: '{"n":7}' }] } },
    ]);
    expect(await config({ candidateCount: 2 })).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  test("is counted without being made", async () => {
    const { text } = await send({ contents: [user("hello!!!")] }, "countTokens");
    expect(JSON.parse(text)).toMatchObject({ totalTokens: 2 });
  });

  test("spells scripted counts in its own way, and a refusal as a blocked prompt", async () => {
    provider.script({ tokens: { prompt: 1000, cached: 300, completion: 500, reasoning: 200 } });
    expect((await contentOf(hello))["usageMetadata"]).toMatchObject({
      promptTokenCount: 1000,
      cachedContentTokenCount: 300,
      candidatesTokenCount: 300,
      thoughtsTokenCount: 200,
      totalTokenCount: 1500,
    });
    provider.script({ refusal: "no" }, { times: 2 });
    const blocked = await contentOf(hello);
    expect([blocked["candidates"], blocked["promptFeedback"]]).toMatchObject([undefined, { blockReason: "SAFETY" }]);
    expect(await chunksOf(hello)).toMatchObject([{ promptFeedback: { blockReason: "SAFETY" } }]);
  });
});

describe("functions", () => {
  const parameters = { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] };
  const tools = [{ functionDeclarations: [{ name: "get_weather", parameters }, { name: "get_time" }] }];
  type Part = { functionCall?: { name: string; args: unknown }; thoughtSignature?: string };
  const partsOf = (content: Record<string, unknown>): readonly Part[] =>
    (content["candidates"] as { content: { parts: Part[] } }[])[0]?.content.parts ?? [];
  const namesOf = (content: Record<string, unknown>) => partsOf(content).map(({ functionCall }) => functionCall?.name);

  test("are called when they are named or when one must be", async () => {
    const both = await contentOf({ contents: [user("get_weather and get_time")], tools });
    expect(partsOf(both)).toMatchObject([
      { functionCall: { name: "get_weather", args: { city: "sandbox city" } }, thoughtSignature: expect.any(String) },
      { functionCall: { name: "get_time", args: {} } },
    ]);
    const any = { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_time"] } };
    expect(namesOf(await contentOf({ ...hello, tools, toolConfig: any }))).toEqual(["get_time"]);
    const none = { functionCallingConfig: { mode: "NONE" } };
    const refused = await contentOf({ contents: [user("get_time")], tools, toolConfig: none });
    expect(namesOf(refused)).toEqual([undefined]);
    expect(await chunksOf({ contents: [user("get_time")], tools })).toMatchObject([
      { candidates: [{ content: { parts: [{ functionCall: { name: "get_time" } }] } }] },
      { candidates: [{ finishReason: "STOP" }] },
    ]);
  });

  test("are answered by a text; since version 3 their call comes back with its signature", async () => {
    const question = user("get_weather");
    const parts = partsOf(await contentOf({ contents: [question], tools }, "gemini-3.8-pro"));
    const result = { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { sky: "blue" } } }] };
    const answered = { contents: [question, { role: "model", parts }, result], tools };
    expect(JSON.stringify(await contentOf(answered, "gemini-3.8-pro"))).toContain("blue");
    const unsigned = parts.map(({ thoughtSignature: _signature, ...part }) => part);
    const stripped = { contents: [question, { role: "model", parts: unsigned }, result], tools };
    expect(await contentOf(stripped, "gemini-3.8-pro")).toMatchObject({
      error: { code: 400, message: expect.stringContaining("missing a thought_signature") },
    });
    expect((await send(stripped, "generateContent", { model: "gemini-2.5-pro" })).status).toBe(200);
  });
});

describe("a request that the real provider refuses", () => {
  const call = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
  const result = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };
  const cases: readonly (readonly [name: string, body: unknown, message: string])[] = [
    ["no JSON", "{", "Invalid JSON payload received"],
    ["a field of another dialect", { ...hello, messages: [] }, 'Unknown name "messages": Cannot find field.'],
    ["no contents", {}, "contents is not specified"],
    [
      "an unknown role",
      { contents: [{ role: "assistant", parts: [{ text: "x" }] }] },
      "Please use a valid role: user, model.",
    ],
    ["no parts", { contents: [{ role: "user", parts: [] }] }, "must not be empty"],
    [
      "a call without a result",
      { contents: [user("x"), call, user("y")] },
      "number of function response parts is equal",
    ],
    ["a result without a call", { contents: [user("x"), result] }, "immediately after a function call turn"],
  ];
  for (const [name, body, message] of cases) {
    test(`because of ${name} is refused with its words`, async () => {
      const { status, text } = await send(body);
      const refusal = { code: 400, message: expect.stringContaining(message), status: "INVALID_ARGUMENT" };
      expect([status, JSON.parse(text).error]).toEqual([400, refusal]);
    });
  }

  test("because of its key gets its own status, and a limit says how long to wait", async () => {
    const errorOf = async (headers: Record<string, string>): Promise<unknown> =>
      JSON.parse((await send(hello, "generateContent", { headers })).text).error;
    expect(await errorOf({})).toMatchObject({ code: 403, status: "PERMISSION_DENIED" });
    expect(await errorOf({ "x-goog-api-key": "wrong" })).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect((await send(hello, "generateContent?key=right", { headers: {} })).status).toBe(200);
    expect(provider.requests.at(-1)?.credentialStyles).toEqual(["query"]);
    provider.script({ status: 429, retryAfter: 7 });
    const { status, text } = await send(hello);
    expect([status, JSON.parse(text).error]).toMatchObject([
      429,
      { status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "7s" }] },
    ]);
  });
});

test("models are listed in the form of the dialect", async () => {
  const answer = await fetch(`${provider.url}/v1beta/models?key=right`);
  expect(await answer.json()).toMatchObject({ models: [{ name: "models/gemini-3.8-pro" }, {}] });
});

test("a rule finds the model and the stream in the path", async () => {
  const behaviour: Behaviour = { text: "found" };
  provider.script(behaviour, { match: { model: "gemini-x", isStream: true } });
  const whole = await send(hello, "generateContent", { model: "gemini-x" });
  const streamed = await send(hello, "streamGenerateContent?alt=sse", { model: "gemini-x" });
  expect([whole.text.includes("found"), streamed.text.includes("found")]).toEqual([false, true]);
});
