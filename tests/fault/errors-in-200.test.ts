/**
 * Errors inside a response with status 200: nothing has reached the client, so the next channel responds, and a code
 * inside decides as the same status would.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { FaultRig } from "../support/calls/fault-rig.ts";
import { errorIn } from "../support/calls/relayed-call.ts";

const message = { role: "assistant", content: "" };
const choiceWith = (more: object) => ({ index: 0, message, ...more });
const deltaWith = (more: object) => ({ choices: [{ index: 0, delta: {}, ...more }] });

type Story = {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly isStream?: true;
  /** The status that counts. */
  readonly status: number;
  /** What a client gets if there is no other channel. */
  readonly alone: readonly [status: number, code: string];
};

const limited = [429, "upstream_rate_limited"] as const;
const failed = [502, "upstream_error"] as const;
const overloaded = [503, "no_upstream"] as const;

const stories: readonly Story[] = [
  {
    name: "no choices beside an error",
    behaviour: { body: { choices: [], error: { code: 429, message: "slow down" } } },
    status: 429,
    alone: limited,
  },
  {
    name: "an error of a choice",
    behaviour: { body: { choices: [choiceWith({ error: { code: 502, message: "gone" }, finish_reason: "error" })] } },
    status: 502,
    alone: failed,
  },
  {
    name: "a choice that ended with an error",
    behaviour: { body: { choices: [choiceWith({ finish_reason: "error" })], usage: { prompt_tokens: 3 } } },
    status: 200,
    alone: failed,
  },
  {
    name: "a list with an error",
    behaviour: { body: [{ error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED" } }] },
    status: 429,
    alone: limited,
  },
  {
    name: "an error in the Messages dialect",
    behaviour: { body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    status: 529,
    alone: overloaded,
  },
  {
    name: "an empty account",
    behaviour: { body: { error: { code: 402, message: "Insufficient credits" } } },
    status: 402,
    alone: failed,
  },
  {
    name: "an event with an error of a choice",
    behaviour: { events: [deltaWith({ error: { code: 503, message: "x" }, finish_reason: "error" }), "[DONE]"] },
    isStream: true,
    status: 503,
    alone: overloaded,
  },
  {
    name: "an event with a choice that ended with an error",
    behaviour: { events: [deltaWith({ finish_reason: "error" }), "[DONE]"] },
    isStream: true,
    status: 200,
    alone: failed,
  },
  {
    name: "an event that is a list with an error",
    behaviour: { events: [JSON.stringify([{ error: { code: 429, message: "quota" } }])] },
    isStream: true,
    status: 429,
    alone: limited,
  },
  {
    name: "an event that names a limit",
    behaviour: { events: [{ type: "error", error: { type: "rate_limit_error", message: "slow down" } }] },
    isStream: true,
    status: 429,
    alone: limited,
  },
  {
    name: "a list with an error in place of a stream",
    behaviour: { body: [{ error: { code: 429, message: "quota" } }] },
    isStream: true,
    status: 429,
    alone: limited,
  },
];

describe("an error inside a 200", () => {
  let faulty: FaultRig;
  const modelOf = (index: number) => `inner-${index}`;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    for (const name of [...stories.map((_, index) => modelOf(index)), "asked", "content"]) {
      await faulty.addModel(name, [{ name: `${name}-1` }, { name: `${name}-2` }]);
      await faulty.addModel(`${name}-alone`, [{ name: `${name}-alone-1` }]);
    }
    await faulty.start("one-process");
  });

  afterAll(async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  const call = (story: Pick<Story, "behaviour" | "isStream">, model: string) => {
    faulty.provider.script(story.behaviour, { match: { credential: `upstream-${model}-1` }, times: 2 });
    return faulty.call(model, story.isStream === true ? { stream: true } : {});
  };

  test.each(stories.map((story, index) => [story.name, story, index] as const))(
    "(%s) is covered by the next channel and counted as its status",
    async (_name, story, index) => {
      const model = modelOf(index);
      const answer = await call(story, model);
      expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: true });
      const row = await faulty.row(answer.requestId);
      expect(row.attempts.map(({ channel, status }) => [channel, status])).toEqual([
        [`${model}-1`, story.status],
        [`${model}-2`, 200],
      ]);
      expect(row.attempts[0]?.result).toBe(story.status === 402 ? "credential_refused" : "error_event");
    },
  );

  test.each(stories.map((story, index) => [story.name, story, index] as const))(
    "(%s) is an error of its own kind if there is no other channel, and free",
    async (_name, story, index) => {
      const answer = await call(story, `${modelOf(index)}-alone`);
      expect([answer.status, errorIn(answer.body)?.code ?? ""]).toEqual([...story.alone]);
      expect(await faulty.row(answer.requestId)).toMatchObject({ outcome: "failed", quota: 0n });
    },
  );

  test("about the request is told in the provider's words, and asked nowhere else", async () => {
    const error = { code: 400, message: "too many tools", type: "invalid_request_error" };
    const answer = await call({ behaviour: { body: { error } } }, "asked");
    expect({ status: answer.status, message: errorIn(answer.body)?.message }).toEqual({
      status: 400,
      message: "too many tools",
    });
    expect((await faulty.row(answer.requestId)).attempts.map(({ channel }) => channel)).toEqual(["asked-1"]);
  });

  test("is not one if the word is only part of what the model wrote", async () => {
    const text = 'finish_reason is "error", and {"error":{"code":429}} says so';
    const answer = await call({ behaviour: { text } }, "content");
    expect(answer.status).toBe(200);
    expect((await faulty.row(answer.requestId)).attempts).toHaveLength(1);
  });
});
