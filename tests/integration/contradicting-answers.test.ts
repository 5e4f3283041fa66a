import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addModelWithChannel, type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { RunningAgent } from "../support/exit-nodes/node-agent.ts";
import { arrangements } from "../support/service/sluice.ts";
import { type RawHttpServer, startRawHttpServer } from "../support/wire/raw-http-server.ts";

const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
});
const page = "<script>alert(1)</script>";

const reply = (status: string, headers: readonly string[], body = answer): string =>
  [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`, "", body].join("\r\n");

const json = "Content-Type: application/json";

/** The provider's response, by the requested model. */
const replies = {
  "two-types": reply("200 OK", [json, "Content-Type: text/html"]),
  "two-encodings": reply("200 OK", [json, "Content-Encoding: identity", "Content-Encoding: gzip"]),
  "type-in-parameter": reply("200 OK", ["Content-Type: text/html; as=json"]),
  "reset-content": reply("205 Reset Content", [json]),
  "partial-content": reply("206 Partial Content", [json, "Content-Range: bytes 0-9/99"]),
  "spoken-page": reply("200 OK", ["Content-Type: text/html; charset=utf-8"], page),
  "spoken-nothing": "HTTP/1.1 204 No Content\r\n\r\n",
} as const;
type Model = keyof typeof replies;

const modelIn = (body: Buffer): Model => (JSON.parse(body.toString("utf8")) as { model: Model }).model;

let provider: RawHttpServer;

beforeAll(() => {
  provider = startRawHttpServer({ onRequest: (socket, { body }) => socket.send(replies[modelIn(body)]) });
});

afterAll(() => provider.stop());

describe.each(arrangements)("a contradictory response, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        for (const model of Object.keys(replies)) {
          await addModelWithChannel(rig, model, `http://127.0.0.1:${provider.port}/v1`);
        }
      },
    });
  });

  afterAll(() => scene.close());

  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${scene.sluice.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const chat = (model: Model): Promise<Response> =>
    post("/v1/chat/completions", { model, messages: [{ role: "user", content: "hello" }] });
  const speak = (model: Model): Promise<Response> =>
    post("/v1/audio/speech", { model, input: "hello", voice: "alloy" });

  const expectRefused = async (refused: Response): Promise<void> => {
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 502,
      body: { error: { code: "upstream_error" } },
    });
  };

  test("with two types keeps the one that it was read by", async () => {
    const got = await chat("two-types");
    expect([got.status, got.headers.get("content-type"), await got.text()]).toEqual([200, "application/json", answer]);
  });

  test.each(["two-encodings", "type-in-parameter", "reset-content", "partial-content"] as const)(
    "is invalid: %s",
    async (model) => {
      await expectRefused(await chat(model));
    },
  );

  test.each(["spoken-page", "spoken-nothing", "reset-content"] as const)("is not speech: %s", async (model) => {
    await expectRefused(await speak(model));
  });

  test("costs nothing when it is refused", async () => {
    await scene.rig.waitForUsageRows(8);
    const rows = await scene.rig.db.sql<{ model: string; outcome: string; quota: bigint }>`
      select model, outcome, quota from usage_log where model <> 'two-types'`;
    expect(rows.map(({ outcome, quota }) => [outcome, quota])).toEqual(Array.from({ length: 7 }, () => ["failed", 0n]));
    expect(await scene.rig.checkMoney()).toEqual([]);
  });
});

test("with two types gets only the first through a node", async () => {
  await using agent = await RunningAgent.start({ providerUrl: `http://127.0.0.1:${provider.port}` });
  const got = await agent.chat({ model: "two-types" });
  expect([got.status, got.headers.get("content-type"), await got.text()]).toEqual([200, "application/json", answer]);
});
