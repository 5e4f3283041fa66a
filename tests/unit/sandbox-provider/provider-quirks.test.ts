import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { type Behaviour, usageShapes } from "@sluice/sandbox-provider/script/behaviour";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";

const provider = startSandboxProvider({ createdAtSeconds: 1_767_225_600 });
const tokens = { prompt: 1000, cached: 300, written5m: 40, completion: 500, reasoning: 200, searches: 3 };

afterEach(() => provider.reset());
afterAll(() => provider.stop());

async function chat(behaviour: Behaviour | null, body: object = {}): Promise<{ status: number; text: string }> {
  if (behaviour !== null) {
    provider.script(behaviour);
  }
  const answer = await fetch(`${provider.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }], ...body }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function chunksOf(behaviour: Behaviour, body: object = {}): Promise<readonly unknown[]> {
  const { text } = await chat({ text: "one", ...behaviour }, { stream: true, ...body });
  return text
    .split("\n\n")
    .filter((event) => event !== "" && event !== "data: [DONE]")
    .map((event) => JSON.parse(event.slice(6)));
}

describe("the usage of a provider", () => {
  const ofProvider: Readonly<Record<(typeof usageShapes)[number], object>> = {
    deepseek: {
      completion_tokens: 500,
      total_tokens: 1500,
      prompt_cache_hit_tokens: 300,
      prompt_cache_miss_tokens: 700,
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    google: { completion_tokens: 300, total_tokens: 1500 },
    groq: { completion_tokens: 500, prompt_tokens_details: { cached_tokens: 300 } },
    mistral: { completion_tokens: 500, num_cached_tokens: 300 },
    moonshot: { completion_tokens: 500, cached_tokens: 300 },
    openrouter: {
      completion_tokens: 500,
      cost: 0.002,
      cost_details: { upstream_inference_cost: null },
      prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 40, audio_tokens: 0 },
    },
    perplexity: {
      completion_tokens: 300,
      total_tokens: 1300,
      reasoning_tokens: 200,
      num_search_queries: 3,
      cost: { total_cost: 0.007 },
    },
    qwen: { completion_tokens: 500, prompt_tokens_details: { cached_tokens: 300, cache_creation_input_tokens: 40 } },
    xai: {
      completion_tokens: 300,
      total_tokens: 1500,
      completion_tokens_details: { reasoning_tokens: 200 },
      prompt_tokens_details: { cached_tokens: 300 },
      num_sources_used: 3,
    },
  };
  for (const usageShape of usageShapes) {
    test(`is spelled as ${usageShape} does, and single fields can still be replaced`, async () => {
      const { usage } = JSON.parse((await chat({ usageShape, tokens })).text);
      expect(usage).toMatchObject({ prompt_tokens: 1000, ...ofProvider[usageShape] });
      const replaced = JSON.parse((await chat({ usageShape, tokens, usage: { prompt_tokens: 7 } })).text);
      expect(replaced.usage).toEqual({ ...usage, prompt_tokens: 7 });
    });
  }

  test("is where that provider has it in a stream, whether or not the client asks", async () => {
    const lastOf = async (usageShape: (typeof usageShapes)[number], body: object = {}): Promise<unknown> =>
      (await chunksOf({ usageShape, tokens }, body)).at(-1);
    const inChoice = await lastOf("moonshot");
    expect(inChoice).toMatchObject({ choices: [{ finish_reason: "stop", usage: { cached_tokens: 300 } }] });
    expect(inChoice).not.toHaveProperty("usage");
    expect(await lastOf("groq")).toMatchObject({ x_groq: { usage: { prompt_tokens: 1000 } } });
    const withFinish = { choices: [{ finish_reason: "stop" }], usage: { num_cached_tokens: 300 } };
    expect(await lastOf("mistral")).toMatchObject(withFinish);
    expect(await lastOf("openrouter")).toMatchObject({ choices: [], usage: { cost: 0.002 } });
    expect(await lastOf("xai")).toMatchObject({ choices: [], usage: { total_tokens: 1500 } });
    const everywhere = await chunksOf({ usageShape: "perplexity", tokens });
    expect(everywhere).toEqual(everywhere.map(() => expect.objectContaining({ usage: expect.anything() })));
    const asked = { stream_options: { include_usage: true } };
    for (const usageShape of ["qwen", "deepseek", "groq"] as const) {
      expect(await lastOf(usageShape, asked)).toMatchObject({ choices: [], usage: { prompt_tokens: 1000 } });
    }
  });

  test("can be asked for by a person", async () => {
    const content = "sandbox: usage 1000 500 cached 300; usage-shape Moonshot";
    const { text } = await chat(null, { messages: [{ role: "user", content }] });
    expect(JSON.parse(text).usage).toMatchObject({ prompt_tokens: 1000, cached_tokens: 300 });
  });
});

describe("an error inside a 200", () => {
  const error = { code: 429, message: "slow down" };

  test("takes the place of a whole answer, or is beside or inside its choices", async () => {
    const bodyOf = async (form: "alone" | "empty-choices" | "choice"): Promise<unknown> => {
      const { status, text } = await chat({ errorInside: { form, ...error } });
      expect(status).toBe(200);
      return JSON.parse(text);
    };
    expect(await bodyOf("alone")).toMatchObject({ error: { message: "slow down", code: "429" } });
    expect(await bodyOf("empty-choices")).toMatchObject({ choices: [], error });
    expect(await bodyOf("choice")).toMatchObject({ choices: [{ finish_reason: "error", error }], usage: null });
  });

  test("is the first event of a stream, or a later one, and the last", async () => {
    const first = await chunksOf({ errorInside: { form: "empty-choices", ...error } });
    expect(first).toMatchObject([{ choices: [], error }]);
    const later = await chunksOf({ errorInside: { form: "choice", ...error, afterChunks: 2 } });
    expect(later).toMatchObject([
      { choices: [{}] },
      { choices: [{}] },
      { choices: [{ finish_reason: "error", error }] },
    ]);
  });

  test("has the form of the dialect, and can be asked for by a person", async () => {
    const send = async (stream: boolean): Promise<string> => {
      const content = "sandbox: error-inside 529";
      const answer = await fetch(`${provider.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json" },
        body: JSON.stringify({ model: "m", max_tokens: 9, stream, messages: [{ role: "user", content }] }),
      });
      expect(answer.status).toBe(200);
      return await answer.text();
    };
    expect(JSON.parse(await send(false))).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    expect(await send(true)).toStartWith('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"');
  });
});

test("errors have the form of another provider if asked to, those of the script and the sandbox's own", async () => {
  const errorOf = async (errorShape: NonNullable<Behaviour["errorShape"]>): Promise<unknown> => {
    const scripted = JSON.parse((await chat({ status: 429, errorShape })).text);
    const own = await chat({ errorShape }, { messages: [] });
    expect([own.status, own.text]).toEqual([400, expect.stringContaining("Invalid 'messages'")]);
    return scripted;
  };
  const message = expect.stringContaining("429");
  expect(await errorOf("array")).toEqual([{ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }]);
  expect(await errorOf("detail")).toEqual({ detail: message });
  expect(await errorOf("flat")).toMatchObject({ object: "error", message, code: 429 });
  expect(await errorOf("text")).toEqual({ error: message });
});
