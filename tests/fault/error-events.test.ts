/**
 * Errors that a provider sends in the middle of a stream: by each route from a client to a provider, the client gets its
 * kind in the words of its own API, and pays for what it was sent.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { allRoutes, type CallRoute, surfaces } from "../support/calls/call-routes.ts";
import { FaultRig } from "../support/calls/fault-rig.ts";

const words = "sandbox words";

/** What a provider says, and what it means to a client of OpenAI's APIs and of the Messages API. */
const kinds = [
  { messages: "overloaded_error", openai: "server_is_overloaded", code: "no_upstream", type: "overloaded_error" },
  {
    messages: "rate_limit_error",
    openai: "rate_limit_exceeded",
    code: "upstream_rate_limited",
    type: "rate_limit_error",
  },
  { messages: "timeout_error", openai: "timeout", code: "upstream_timeout", type: "timeout_error" },
  {
    messages: "invalid_request_error",
    openai: "context_length_exceeded",
    code: "upstream_rejected",
    type: "invalid_request_error",
  },
  { messages: "api_error", openai: "server_error", code: "upstream_error", type: "api_error" },
  // Our account at the provider is none of the client's business.
  { messages: "authentication_error", openai: "invalid_api_key", code: "upstream_error", type: "api_error" },
  { messages: "brand_new_error", openai: "brand_new_error", code: "upstream_error", type: "api_error" },
];
type Kind = (typeof kinds)[number];

function failing(route: CallRoute, { messages, openai }: Kind): Behaviour {
  switch (route.channel) {
    case "messages":
      return {
        events: [
          { type: "message_start", message: { usage: { input_tokens: 1_011, output_tokens: 1 } } },
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one two" } },
          { type: "error", error: { type: messages, message: words } },
        ],
      };
    case "responses":
      return {
        events: [
          { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
          { type: "response.output_text.delta", delta: "one two" },
          { type: "response.failed", response: { status: "failed", error: { code: openai, message: words } } },
        ],
      };
    default:
      return {
        events: [
          { choices: [{ index: 0, delta: { role: "assistant", content: "one two" } }] },
          { error: { code: openai, message: words } },
        ],
      };
  }
}

const stories = allRoutes.flatMap((route) =>
  kinds.map((kind) => {
    const model = `${route.surface}-${route.channel}-${kind.messages.replaceAll("_", "-")}`;
    return { ...kind, route, by: route.name, model };
  }),
);

describe("an error in the middle of a stream", () => {
  let faulty: FaultRig;

  beforeAll(async () => {
    faulty = await FaultRig.create();
    for (const story of stories) {
      const { model, route } = story;
      await faulty.addModel(model, [{ name: model, speaks: route.channel }]);
      faulty.provider.script(failing(route, story), { match: { credential: `upstream-${model}` } });
    }
    await faulty.start("one-process");
  });

  afterAll(async () => {
    await faulty.waitUntilReleased();
    expect(await faulty.rig.checkMoney()).toEqual([]);
    await faulty.close();
  });

  test.concurrent.each(stories)("$by, of the kind $messages, keeps its kind", async ({ route, model, code, type }) => {
    const answer = await faulty.ask(route.surface, model, { stream: true });
    const surface = surfaces[route.surface];
    expect({ status: answer.status, isWhole: answer.isWhole }).toEqual({ status: 200, isWhole: !route.isBrokenOff });
    expect(surface.textsOf(answer.body).join("")).toBe("one two");
    expect(surface.isComplete(answer.body)).toBe(false);
    expect(answer.body.toString()).not.toContain(words);
    expect(surface.errorOf(answer.body)).toEqual(
      route.surface === "messages"
        ? { type, code: null, requestId: `req_${answer.requestId.replaceAll("-", "")}` }
        : { type: expect.any(String), code, requestId: null },
    );
    const row = await faulty.row(answer.requestId);
    expect(row).toMatchObject({ outcome: "failed", error_code: code });
    expect(row.attempts).toEqual([expect.objectContaining({ result: "error_event", said: words })]);
    expect(row.output_tokens).toBeGreaterThan(0n);
    expect(row.quota).toBe((row.input_tokens * 75n + row.output_tokens * 300n + 999n) / 1_000n);
  });
});
