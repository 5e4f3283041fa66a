/** Models that channels of both kinds serve: native and converted attempts of the same calls. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { saveMapEntry } from "../support/messages/messages-rig.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { arrangements } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const model = "claude-both";
const chatOnly = "gpt-4o-mini";
const native = "/v1/messages";
const chat = "/v1/chat/completions";

describe.each(arrangements)("the Messages API on channels of both kinds, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      prepare: async (rig, { url: providerUrl }) => {
        await addNativeModel(rig, { name: model, providerUrl });
        await rig.addChannel("chat-of-both", `${providerUrl}/v1`, [model]);
        await saveMapEntry(rig, { name: "claude-mapped", upstream_model: model });
      },
    });
  });
  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const post = (path: string, fields: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${scene.sluice.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...fields }),
      headers: { "x-api-key": scene.user.apiKey, "content-type": "application/json", ...headers },
    });
  const targets = () => scene.provider.requests.map(({ target }) => target);

  describe.each(["/v1/messages", "/msgcompat/v1/messages"])("at %s", (path) => {
    test("prefer the channel that speaks it, and convert for the other when it fails", async () => {
      expect((await post(path, {})).status).toBe(200);
      expect(targets()).toEqual([native]);
      scene.provider.reset();
      scene.provider.script({ status: 500 });
      const answer = await post(path, { top_k: 5 });
      expect([answer.status, await answer.json()]).toMatchObject([200, { type: "message", model }]);
      expect(targets()).toEqual([native, chat]);
      expect(answer.headers.get("x-compat-dropped")).toBe("top_k");
    });

    test("convert what no provider may get as it is, without it", async () => {
      const answer = await post(path, { speed: "fast" });
      expect([answer.status, targets()]).toEqual([200, [chat]]);
      expect(answer.headers.get("x-compat-dropped")).toBe("speed");
      const strict = await post(path, { speed: "fast" }, { "x-compat-strict": "true" });
      expect([strict.status, await strict.text()]).toEqual([400, expect.stringContaining("speed")]);
    });

    test("serve names of the catalog that only chat channels have", async () => {
      const answer = await post(path, { model: chatOnly });
      expect([answer.status, await answer.json()]).toMatchObject([200, { type: "message", model: chatOnly }]);
      expect(targets()).toEqual([chat]);
    });

    test.each([
      ["a chat", chatOnly, { message: "Input is too long for requested model.", code: null }],
      ["a Messages", model, { message: "Input is too long for requested model.", type: "validation_error" }],
    ])("say in Anthropic's words that a prompt is too long for %s channel", async (_kind, asked, error) => {
      scene.provider.script({ status: 400, body: { error } });
      const answer = await post(path, { model: asked });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
      ]);
    });

    test("warm no cache where a channel has none, and that for free", async () => {
      const user = await scene.rig.addUser();
      const headers = { "x-api-key": user.apiKey };
      const answer = await post(path, { model: chatOnly, max_tokens: 0, stream: true }, headers);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("event: message_stop")]);
      expect(targets()).toEqual([]);
      // What was set aside for it is free again.
      await (await post(path, {}, headers)).text();
      expect(await waitForSettledRows(scene.rig.db, user.gatewayUserId, 1)).toHaveLength(1);
      expect(await scene.rig.checkMoney()).toEqual([]);
    });

    test("begin a stream with a ping where a Messages channel may still begin it, and with a message where none can", async () => {
      scene.provider.script([{ delayHeadMs: 11_000 }, { delayHeadMs: 11_000 }]);
      const streams = await Promise.all([
        post(path, { stream: true }),
        post(path, { stream: true, model: chatOnly, top_k: 5 }),
      ]);
      const [mixed = "", alone = ""] = await Promise.all(streams.map((answer) => answer.text()));
      const types = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
      expect(types(mixed).slice(0, 2)).toEqual(["ping", "message_start"]);
      expect(types(alone).slice(0, 2)).toEqual(["message_start", "ping"]);
      for (const text of [mixed, alone]) {
        expect(types(text).filter((type) => type === "message_start")).toHaveLength(1);
        expect(types(text).at(-1)).toBe("message_stop");
      }
      expect(streams[1]?.headers.get("x-compat-dropped")).toBe("top_k");
    });
  });

  test("repeat the client's name of a mapped model, whichever channel serves it", async () => {
    for (const status of [200, 500]) {
      scene.provider.reset();
      scene.provider.script(status === 200 ? {} : { status });
      const answer = await post("/msgcompat/v1/messages", { model: "claude-mapped" });
      expect([answer.status, await answer.json()]).toMatchObject([200, { type: "message", model: "claude-mapped" }]);
      expect(targets()).toEqual(status === 200 ? [native] : [native, chat]);
    }
  });
});
