import { afterAll, expect, test } from "bun:test";
import { yieldToLoop } from "@sluice/control-plane/platform/slices.ts";
import { Fault, OwnPipeline } from "../../support/calls/own-pipeline.ts";
import { promptMs } from "../../support/values/patience.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const about = { id: "c", created: 1, model: "m" };
const answer = { ...about, object: "chat.completion", usage };
const choice = (part: object, reason: string | null) => ({ index: 0, ...part, finish_reason: reason });
const events = [
  [choice({ delta: { role: "assistant", content: "hi" } }, null)],
  [choice({ delta: { content: " you" } }, null)],
  [choice({ delta: {} }, "stop")],
  [],
].map((choices) => ({
  ...about,
  object: "chat.completion.chunk",
  choices,
  ...(choices.length === 0 ? { usage } : {}),
}));
const stream = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`);

/** A provider that fails for a model of this name, and else says hi. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { stream: isStream, user } = (await request.json()) as { stream?: boolean; user?: string };
    if (user === "fail") {
      return Response.json({ error: { message: "no", type: "server_error" } }, { status: 500 });
    }
    return isStream === true
      ? new Response(stream.join(""), { headers: { "content-type": "text/event-stream" } })
      : Response.json({ ...answer, choices: [choice({ message: { role: "assistant", content: "hi" } }, "stop")] });
  },
});
const baseUrl = `http://127.0.0.1:${provider.port}/v1`;
afterAll(() => provider.stop(true));

const chat = { model: "m", messages: [{ role: "user", content: "hello" }], max_tokens: 10 };
const nothing = { held: 0n, inChannel: 0, bodies: 0, inKey: 0 };

/** Waits until a call has given back what it held; what it keeps for good is the result. */
async function keptBy(pipeline: OwnPipeline): Promise<OwnPipeline["kept"]> {
  const deadline = performance.now() + promptMs;
  while (!Bun.deepEquals(pipeline.kept, nothing) && performance.now() < deadline) {
    await yieldToLoop();
  }
  return pipeline.kept;
}

test.each([
  ["comes whole", "/v1/chat/completions", chat, true],
  ["is a stream", "/v1/chat/completions", { ...chat, stream: true }, true],
  ["is converted", "/v1/messages", chat, true],
  ["is a converted stream", "/v1/messages", { ...chat, stream: true }, true],
  ["is an error of its provider", "/v1/chat/completions", { ...chat, user: "fail" }, true],
  ["waits for a lease", "/v1/chat/completions", chat, false],
])("a call whose response %s keeps nothing and is answered, whichever part fails", async (_, path, body, isLeased) => {
  const run = async (at: number) => {
    const fault = new Fault();
    const pipeline = new OwnPipeline(baseUrl, fault);
    if (isLeased) {
      await pipeline.lease();
    }
    fault.arm(at);
    const { status, text, isWhole } = await pipeline.call(path, body);
    fault.disarm();
    const kept = await keptBy(pipeline);
    const charged = pipeline.rows.reduce((sum, { quota }) => sum + BigInt(quota), 0n);
    return {
      ...{ uses: fault.uses, thrower: fault.thrower, status, answers: pipeline.answers.length, kept },
      rows: pipeline.rows.length,
      isCharged: pipeline.leases.totals().pending === 3n * charged,
      isPaidFor: charged > 0n || status !== 200 || !isWhole || text.includes("error"),
    };
  };
  const { uses } = await run(Number.POSITIVE_INFINITY);
  expect(uses).toBeGreaterThan(20);
  for (let at = 0; at < uses; at += 1) {
    const { thrower, kept, answers, rows, isCharged, isPaidFor } = await run(at);
    expect({ thrower, kept, answers, isCharged, isPaidFor }).toEqual({
      ...{ thrower: expect.any(String), kept: nothing, answers: 1, isCharged: true, isPaidFor: true },
    });
    expect(rows).toBeLessThanOrEqual(1);
  }
});
