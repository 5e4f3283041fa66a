/** Providers that refuse `stream_options`: what we added ourselves is not a reason to refuse a client. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { MessagesRig } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";

const refusal = {
  status: 400,
  body: { error: { message: "Unrecognized request argument supplied: stream_options", type: "invalid_request_error" } },
};
const dialects = ["/v1/chat/completions", "/msgcompat/v1/messages"] as const;

describe.each(arrangements)("a provider that refuses stream_options, %s", (arrangement) => {
  let messages: MessagesRig;

  beforeAll(async () => {
    messages = await MessagesRig.start(arrangement);
  });
  afterEach(() => messages.provider.reset());
  afterAll(() => messages.close());

  /** A stream of a model with a separate channel. */
  const ask = (path: string, name: string, fields: object = {}): Promise<Response> => {
    const model = path === dialects[0] ? `upstream-${name}` : name;
    const body = { model, max_tokens: 50, stream: true, messages: [{ role: "user", content: "Hi" }], ...fields };
    return messages.call(path, { method: "POST", body: JSON.stringify(body) });
  };
  const refuseOption = () =>
    messages.provider.script(refusal, { match: { bodyIncludes: "stream_options" }, times: "always" });
  const asked = (): boolean[] =>
    messages.provider.requests.map(({ body }) => body.toString().includes("stream_options"));

  test.each(dialects)("%s is asked once more without it, and is not sent it again for a while", async (path) => {
    const name = path === dialects[0] ? "refuses-chat" : "refuses-messages";
    await messages.addModel(name);
    refuseOption();
    const first = await ask(path, name);
    expect([first.status, (await first.text()).length > 0]).toEqual([200, true]);
    expect(asked()).toEqual([true, false]);
    const second = await ask(path, name);
    expect(second.status).toBe(200);
    await second.text();
    expect(asked()).toEqual([true, false, false]);
    // Apart from the option, the two requests are the same.
    const [withOption, without] = [messages.upstreamBody(0), messages.upstreamBody(1)];
    const { stream_options: option, ...rest } = withOption;
    expect([option, rest]).toEqual([{ include_usage: true }, without]);
    for (const answer of [first, second]) {
      const usage = await messages.usageOf(answer);
      expect(usage).toMatchObject({ outcome: "completed", http_status: 200 });
      expect(usage.quota).toBeGreaterThan(0n);
    }
    expect(await messages.rig.checkMoney()).toEqual([]);
  });

  test("what a client requested itself is refused, by one request", async () => {
    await messages.addModel("refuses-own");
    refuseOption();
    const answer = await ask(dialects[0], "refuses-own", { stream_options: { include_usage: true } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("stream_options");
    expect(asked()).toEqual([true]);
  });

  test("a request that is refused either way is tried twice at most, and reveals nothing about the channel", async () => {
    await messages.addModel("refuses-all");
    messages.provider.script(refusal, { times: "always" });
    const answer = await ask(dialects[0], "refuses-all");
    expect(answer.status).toBe(400);
    expect(asked()).toEqual([true, false]);
    messages.provider.reset();
    await (await ask(dialects[0], "refuses-all")).text();
    expect(asked()).toEqual([true]);
  });

  test("an unrelated refusal is not retried", async () => {
    await messages.addModel("refuses-else");
    messages.provider.script({ status: 400, body: { error: { message: "max_tokens is too large" } } });
    expect((await ask(dialects[1], "refuses-else")).status).toBe(400);
    expect(asked()).toEqual([true]);
  });
});
