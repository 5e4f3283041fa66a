/** What a session costs if a provider speaks or counts in unusual ways, and what the client may not request. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { RealtimeClient } from "../support/calls/realtime-client.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { type ScriptedSessions, startScriptedSessions } from "../support/calls/scripted-sessions.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";

const text = "four words of text, and more";
const id = "resp_1";
const place = { response_id: id, item_id: "item_1", output_index: 0, content_index: 0 };
const created = { type: "response.created", response: { id, status: "in_progress" } };
const pieces = (text.match(/.{1,5}/g) ?? []).map((delta) => ({ type: "response.output_text.delta", ...place, delta }));
const textDone = { type: "response.output_text.done", ...place, text };
const heardDone = { type: "response.output_audio_transcript.done", ...place, transcript: text };
const partDone = { type: "response.content_part.done", ...place, part: { type: "audio", transcript: text } };
const callDone = { type: "response.function_call_arguments.done", ...place, arguments: text };
const itemDone = {
  type: "response.output_item.done",
  ...{ response_id: id, output_index: 0, item: { id: "item_1", type: "message", content: [{ type: "text", text }] } },
};

describe.each(arrangements)("a session, %s,", (arrangement) => {
  let provider: ScriptedSessions;
  let scene: RelayScene;
  let user: TestUser;
  let client: RealtimeClient | null = null;

  beforeAll(async () => {
    provider = startScriptedSessions();
    scene = await startRelayScene(arrangement, {
      prepare: async (rig) => {
        await rig.addModel("voice");
        const free = { input_usd_per_m: "0", output_usd_per_m: "0" };
        await rig.addTokenPriceModel("scribe", { ...free, second_usd: "0.0001" });
        await rig.addTokenPriceModel("elsewhere", { ...free, second_usd: "0.0001" });
        await rig.addTokenPriceModel("retired", { ...free, second_usd: "0.0001" });
        await rig.db.sql`update model set sunset_at = now() - interval '1 day' where name = 'retired'`;
        await rig.addTokenPriceModel("painter", { ...free, image_usd: "0.04" });
        await rig.addChannel("sound", `${provider.url}/v1`, ["voice", "scribe", "painter", "retired"]);
      },
    });
  });

  afterAll(async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
    await scene.close();
    await provider.stop();
  });

  beforeEach(async () => {
    user = await scene.rig.addUser();
  });

  afterEach(() => client?.terminate());

  const open = async (): Promise<RealtimeClient> => {
    client = await RealtimeClient.open(`${scene.sluice.url}/v1/realtime?model=voice`, {
      headers: { authorization: `Bearer ${user.apiKey}` },
    });
    await client.next("session.created");
    return client;
  };

  /** The provider's response to anything. */
  const answer = (...events: object[]) =>
    provider.script({
      onEvent: (one) => {
        for (const event of [...events, { type: "rate_limits.updated" }]) {
          one.send(event);
        }
      },
    });

  const rows = async (count: number) => {
    const find = async () => [
      ...(await scene.rig.db.sql`
        select model, outcome, usage_source, quota, input_tokens, output_tokens, audio_ms, is_implausible from usage_log
        where gateway_user_id = ${user.gatewayUserId}::bigint order by request_id`),
    ];
    await waitUntil(async () => (await find()).length >= count);
    return await find();
  };

  const ask = async (session: RealtimeClient, event: object) => {
    session.send(event);
    await session.next("rate_limits.updated");
  };

  describe("in which the client abandons a response", () => {
    test.each([
      ["is sent only as text", [created, textDone]],
      ["is only the transcript of audio", [created, heardDone]],
      ["is sent only as a part of an item", [created, partDone]],
      ["are only the arguments of a function", [created, callDone]],
      ["is sent only as a whole item", [created, itemDone]],
      ["is sent four times", [created, ...pieces, textDone, partDone, itemDone]],
      ["comes before its announcement", [...pieces, created]],
      ["comes whole before its announcement", [textDone, created]],
      ["is never announced", pieces],
    ])("charges once for the output that %s", async (_what, events) => {
      answer(...events);
      const session = await open();
      await ask(session, { type: "response.create" });
      session.terminate();
      expect(await rows(1)).toMatchObject([{ outcome: "aborted", usage_source: "estimated", output_tokens: 6n }]);
    });

    test("charges for repeated content if the provider has counted no output for it", async () => {
      const usage = { input_tokens: 90, output_tokens: 0 };
      const output = [{ id: "item_1", type: "message", content: [{ type: "output_text", text }] }];
      answer(created, { type: "response.done", response: { id, status: "completed", output, usage } });
      const session = await open();
      await ask(session, { type: "response.create" });
      await session.close();
      expect(await rows(1)).toMatchObject([
        { outcome: "completed", usage_source: "estimated", is_implausible: true, input_tokens: 90n, output_tokens: 6n },
      ]);
    });

    test("holds quota for a response that begins without an announcement", async () => {
      const [first] = pieces;
      const second = { ...first, response_id: "resp_2" };
      answer(first as object, second);
      const session = await open();
      await ask(session, { type: "response.create" });
      session.terminate();
      expect(await rows(2)).toMatchObject([{ output_tokens: 1n }, { output_tokens: 1n }]);
    });
  });

  describe("that transcribes the user's speech", () => {
    const present = (transcription: unknown) => ({ audio: { input: { transcription } } });
    const older = (transcription: unknown) => ({ input_audio_transcription: transcription });
    const done = (usage: unknown, transcript = "hello") => ({
      ...{ type: "conversation.item.input_audio_transcription.completed", item_id: "item_1", transcript, usage },
    });

    test.each([
      [present({ model: "nobody" }), "model_not_found", "session.audio.input.transcription.model"],
      [older({ model: "nobody" }), "model_not_found", "session.input_audio_transcription.model"],
      [older({ model: "elsewhere" }), "model_not_found", "session.input_audio_transcription.model"],
      [older({ model: "retired" }), "model_ended", "session.input_audio_transcription.model"],
      [older({ model: "painter" }), "unpriced_option", "session.input_audio_transcription.model"],
      [older({}), "missing_field", "session.input_audio_transcription.model"],
      [present({ language: "en" }), "missing_field", "session.audio.input.transcription.model"],
      [older({ model: 7 }), "invalid_type", "session.input_audio_transcription.model"],
      [{ inputAudioTranscription: { model: "scribe" } }, "unknown_field", "session.inputAudioTranscription"],
      [{ audio: { Input: { transcription: { model: "scribe" } } } }, "unknown_field", "session.audio.Input"],
      [
        { audio: { input: { Transcription: { model: "scribe" } } } },
        "unknown_field",
        "session.audio.input.Transcription",
      ],
      [older({ model: "scribe", Model: "dear" }), "unknown_field", "session.input_audio_transcription.Model"],
    ])("refuses what has no price: %p", async (settings, code, param) => {
      answer();
      const session = await open();
      const heard = provider.heard.length;
      session.send({ type: "session.update", session: settings });
      expect((await session.next("error"))["error"]).toMatchObject({ code, param });
      expect(provider.heard).toHaveLength(heard);
      await ask(session, { type: "session.update", session: older(null) });
      expect(provider.heard).toHaveLength(heard + 1);
      await session.close();
    });

    test("refuses a model that the key may not use", async () => {
      await scene.rig.db.sql`
        update api_key set allowed_models = array['voice'] where gateway_user_id = ${user.gatewayUserId}::bigint`;
      answer();
      const session = await open();
      session.send({ type: "session.update", session: older({ model: "scribe" }) });
      expect((await session.next("error"))["error"]).toMatchObject({ code: "model_not_found" });
      await session.close();
    });

    test("charges by the price of the transcription model, whatever the provider counts", async () => {
      const session = await open();
      answer();
      await ask(session, { type: "session.update", session: present({ model: "scribe", language: "en" }) });
      answer(done({ type: "duration", seconds: 10 }));
      await ask(session, { type: "input_audio_buffer.commit" });
      answer(done({ type: "tokens", input_tokens: 100, output_tokens: 5 }, "a".repeat(150)));
      await ask(session, { type: "input_audio_buffer.commit" });
      answer(done(undefined, "a".repeat(150)));
      await ask(session, { type: "input_audio_buffer.commit" });
      await session.close();
      // 50 quota a second; 150 bytes take ten of them to say.
      const row = { model: "scribe", outcome: "completed", audio_ms: 10_000n, quota: 500n };
      expect(await rows(3)).toMatchObject([
        { ...row, usage_source: "provider" },
        { ...row, usage_source: "estimated", input_tokens: 100n },
        { ...row, usage_source: "estimated" },
      ]);
    });

    test("keeps its transcription model, so that nothing said before becomes cheaper", async () => {
      answer();
      const session = await open();
      await ask(session, { type: "session.update", session: older({ model: "scribe" }) });
      session.send({ type: "session.update", session: present({ model: "voice" }) });
      expect((await session.next("error"))["error"]).toMatchObject({ code: "invalid_value" });
      await ask(session, { type: "session.update", session: present({ model: "scribe" }) });
      await session.close();
    });

    test("charges for deltas of the transcript when the client leaves before its end", async () => {
      const session = await open();
      answer();
      await ask(session, { type: "session.update", session: older({ model: "scribe" }) });
      const type = "conversation.item.input_audio_transcription.delta";
      answer({ type, item_id: "item_1", delta: "a".repeat(70) }, { type, item_id: "item_1", delta: "a".repeat(80) });
      await ask(session, { type: "input_audio_buffer.commit" });
      session.terminate();
      expect(await rows(1)).toMatchObject([
        { model: "scribe", outcome: "aborted", usage_source: "estimated", audio_ms: 10_000n, quota: 500n },
      ]);
    });
  });
});
