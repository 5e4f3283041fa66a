/** Clients that read what they want and leave before the usage: no kind of output, and no input, is free. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { finishedAnswer, relayedRequest } from "../support/calls/relayed-call.ts";
import { messagesModel, saveMapEntry } from "../support/messages/messages-rig.ts";
import { arrangements } from "../support/service/sluice.ts";
import { recomputedCost, waitForSettledRows } from "../support/usage/settled-rows.ts";
import { connectRaw } from "../support/wire/raw-tcp-client.ts";

const text = "a".repeat(1_000);
const picture = "A".repeat(60_000);
const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
const unpaidPerHour = 3;
/** How long a provider is read on at least. */
const readOnMs = 200;

type Escape = {
  readonly name: string;
  readonly path: string;
  readonly event: Record<string, unknown>;
  readonly row: object;
};

const escapes: readonly Escape[] = [
  {
    name: "a function call",
    path: "/v1/chat/completions",
    event: chunk({ function_call: { name: "f", arguments: text } }),
    row: { outputTokens: 201n },
  },
  {
    name: "sound",
    path: "/v1/chat/completions",
    event: chunk({ audio: { id: "a", data: picture, transcript: "" } }),
    row: { outputTokens: 19n },
  },
  {
    name: "an unknown field",
    path: "/v1/chat/completions",
    event: chunk({ dream: text }),
    row: { outputTokens: 200n },
  },
  {
    name: "the draft of an image",
    path: "/v1/images/generations",
    event: { type: "image_generation.partial_image", b64_json: picture, partial_image_index: 0 },
    row: { images: 1, outputTokens: 1_056n },
  },
  {
    name: "an image in a response",
    path: "/v1/responses",
    event: {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "image_generation_call", result: picture },
    },
    row: { images: 1, outputTokens: 1_056n },
  },
  {
    name: "code in a response",
    path: "/v1/responses",
    event: { type: "response.code_interpreter_call_code.delta", output_index: 0, delta: text },
    row: { outputTokens: 200n },
  },
  {
    name: "nothing but an empty chunk, after a long prompt",
    path: "/v1/chat/completions",
    event: chunk({ role: "assistant", content: "" }),
    row: { outputTokens: 0n },
  },
];

describe.each(arrangements)("a client that leaves before the usage, %s", (arrangement) => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    await faulty.rig.addTokenPriceModel("dear", { input_usd_per_m: "100", output_usd_per_m: "300", image_usd: "0.04" });
    await saveMapEntry(faulty.rig, { name: messagesModel, upstream_model: "dear" });
    await faulty.start(arrangement, {
      UNPAID_CALLS_PER_HOUR: String(unpaidPerHour),
      ABORTED_USAGE_TIMEOUT_MS: String(readOnMs),
    });
  });

  afterEach(() => faulty.provider.reset());

  afterAll(async () => {
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const open = async (apiKey: string, path: string) => {
    const connection = await connectRaw(Number(new URL(faulty.relay.url).port));
    const inputs: Readonly<Record<string, object>> = {
      "/v1/images/generations": { prompt: "x" },
      "/v1/responses": { input: "x" },
    };
    const body = { model: "dear", stream: true, ...inputs[path], padding: "words ".repeat(5_000) };
    connection.send(relayedRequest({ apiKey, path, body }));
    return connection;
  };

  test.each(escapes)("with $name pays for it, and for the input", async ({ path, event, row }) => {
    const user = await faulty.rig.addUser();
    faulty.provider.script({ events: [event, event], silence: { afterChunks: 1 } });
    const connection = await open(user.apiKey, path);
    await connection.waitForText(JSON.stringify(event));
    connection.close("rst");
    const [settled] = await waitForSettledRows(faulty.rig.db, user.gatewayUserId, 1);
    expect(settled).toMatchObject({ outcome: "aborted", usageSource: "estimated", ...row });
    expect(settled?.inputTokens).toBeGreaterThan(6_000n);
    expect(settled?.inputTokens).toBeLessThan(6_200n);
    expect(settled?.quota).toBe(recomputedCost(settled as NonNullable<typeof settled>));
  });

  test("is limited as if it left for free when the provider never reports unseen work", async () => {
    const user = await faulty.rig.addUser();
    const { event } = escapes.at(-1) as Escape;
    faulty.provider.script({ events: [event, event], silence: { afterChunks: 1 } }, { times: "always" });
    const leave = async (workMs: number) => {
      const connection = await open(user.apiKey, "/v1/chat/completions");
      await connection.waitForText(JSON.stringify(event));
      await Bun.sleep(workMs);
      connection.close("rst");
    };
    for (let count = 0; count < unpaidPerHour; count += 1) {
      await leave(readOnMs * 2);
    }
    const rows = await waitForSettledRows(faulty.rig.db, user.gatewayUserId, unpaidPerHour);
    expect(rows.map(({ outcome, usageSource }) => [outcome, usageSource])).toEqual(
      rows.map(() => ["aborted", "estimated"]),
    );
    const answer = await finishedAnswer(await open(user.apiKey, "/v1/chat/completions"));
    expect(answer.status).toBe(429);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  });

  test("is limited in the same way when responses have no output, which is free", async () => {
    const user = await faulty.rig.addUser();
    faulty.provider.script({ text: "", usage: { prompt_tokens: 5_000, completion_tokens: 0 } }, { times: "always" });
    const statuses: number[] = [];
    for (let count = 0; count <= unpaidPerHour; count += 1) {
      const answer = await faulty.call("dear", { stop: ["a"] }, { apiKey: user.apiKey });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array.from({ length: unpaidPerHour }, () => 200), 429]);
  });

  test("may do so as often as it likes if the output accounts for the time, or the provider reports its work", async () => {
    const user = await faulty.rig.addUser();
    const events = Array.from({ length: 40 }, (_, index) => chunk({ content: `word ${index}` }));
    const usage = { prompt_tokens: 10, completion_tokens: 5_000 };
    const times = unpaidPerHour + 1;
    faulty.provider.script({ events, silence: { afterChunks: events.length - 1 } }, { times });
    faulty.provider.script({ usage, silence: { afterChunks: 1 } }, { times });
    const calls = times * 2;
    for (let count = 0; count < calls; count += 1) {
      const connection = await open(user.apiKey, "/v1/chat/completions");
      const held = await faulty.provider.waitForHeld(count);
      if (count < times) {
        await connection.waitForText(JSON.stringify(events.at(-2)));
        await Bun.sleep(readOnMs * 2);
        connection.close("rst");
      } else {
        // It is read for as long as it has worked, which is enough on a busy machine.
        await Bun.sleep(readOnMs * 8);
        connection.close("rst");
        await Bun.sleep(readOnMs * 1.5);
        held.release();
      }
      await waitForSettledRows(faulty.rig.db, user.gatewayUserId, count + 1);
    }
    const rows = await waitForSettledRows(faulty.rig.db, user.gatewayUserId, calls);
    expect(rows.map(({ usageSource }) => String(usageSource)).toSorted()).toEqual([
      ...Array.from({ length: times }, () => "estimated"),
      ...Array.from({ length: times }, () => "provider"),
    ]);
  });

  test("before the head does so for free, but not more often per hour than a key may", async () => {
    const user = await faulty.rig.addUser();
    faulty.provider.script({ neverAnswer: true }, { times: "always" });
    for (let count = 0; count < unpaidPerHour; count += 1) {
      const connection = await open(user.apiKey, "/v1/chat/completions");
      await faulty.provider.waitForHeld(count);
      connection.close("rst");
      await faulty.provider.waitForCancel(count);
    }
    const rows = await waitForSettledRows(faulty.rig.db, user.gatewayUserId, unpaidPerHour);
    expect(rows.map(({ outcome, quota }) => [outcome, quota])).toEqual(rows.map(() => ["aborted", 0n]));
    const answer = await finishedAnswer(await open(user.apiKey, "/v1/chat/completions"));
    expect(answer.status).toBe(429);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: "rate_limit_exceeded" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(1_100);
    const message = await faulty.call(
      // One that the map knows: a relay apart from its gateway converts before the gateway can refuse.
      messagesModel,
      { max_tokens: 5 },
      {
        apiKey: user.apiKey,
        path: "/msgcompat/v1/messages",
        headers: ["anthropic-version: 2023-06-01"],
      },
    );
    expect([message.status, JSON.parse(message.body.toString()).error?.type]).toEqual([429, "rate_limit_error"]);
    expect(faulty.provider.requests).toHaveLength(unpaidPerHour);
  });
});
