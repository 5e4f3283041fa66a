/** Unusual provider responses, converted to the Messages API. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

const role = { id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant" } }] };
const tooLong =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.";

type Refusal = { readonly status: number; readonly type: string; readonly text: string };
const asOverflow: Refusal = {
  status: 400,
  type: "invalid_request_error",
  text: "prompt is too long: 210000 tokens > 128000 maximum",
};

describe.each(arrangements)("odd responses of providers, %s", (arrangement) => {
  let messages: MessagesRig;
  let models = 0;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  /** A call of a model with a separate channel, because some responses pause a channel. */
  async function ask(behaviour: Behaviour, isStream: boolean): Promise<Response> {
    models += 1;
    await messages.addModel(`odd-${models}`);
    messages.provider.script(behaviour, { times: "always" });
    return await messages.post({ model: `odd-${models}`, stream: isStream });
  }

  test.each<[string, Behaviour, Refusal]>([
    ["vLLM's own form", { status: 400, body: { object: "error", message: tooLong, code: 400 } }, asOverflow],
    ["a plain text", { status: 400, body: { error: tooLong } }, asOverflow],
    ["a detail", { status: 422, body: { detail: tooLong } }, asOverflow],
    ["a message alone", { status: 400, body: { message: tooLong } }, asOverflow],
    [
      "a page",
      { status: 400, body: "<h1>Bad</h1>", headers: { "content-type": "text/html" } },
      { status: 502, type: "api_error", text: "" },
    ],
  ])("a refusal as %s", async (_name, behaviour, { status, type, text }) => {
    for (const isStream of [false, true]) {
      const answer = await ask(behaviour, isStream);
      const body = (await answer.json()) as { error: { type: string; message: string } };
      expect([answer.status, body.error.type]).toEqual([status, type]);
      expect(body.error.message).toContain(text);
      expect(body.error.message).not.toContain("<h1>");
      messages.provider.reset();
    }
  });

  test("a response without choices is an error that costs nothing", async () => {
    for (const body of [{}, { id: "x", usage: { prompt_tokens: 3, completion_tokens: 4 } }]) {
      const answer = await ask({ body }, false);
      expect([answer.status, await answer.json()]).toMatchObject([502, { error: { type: "api_error" } }]);
      expect(await messages.usageOf(answer)).toMatchObject({ outcome: "failed", quota: 0n });
      messages.provider.reset();
    }
  });

  test("a stream that contains nothing but its end is an error, before or after its head was sent", async () => {
    const alone = await ask({ events: [] }, true);
    expect([alone.status, await alone.json()]).toMatchObject([502, { error: { type: "api_error" } }]);
    messages.provider.reset();
    const empty = await ask({ events: [role] }, true);
    const text = await empty.text();
    expect(text).toContain('"type":"error"');
    expect(text).not.toContain("message_stop");
  });
});
