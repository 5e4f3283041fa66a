import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { RealtimeClient, tryHandshake } from "../support/calls/realtime-client.ts";
import { addModelWithChannel, type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import {
  type ScriptedSession,
  type ScriptedSessions,
  startScriptedSessions,
} from "../support/calls/scripted-sessions.ts";
import { arrangements, type TestUser } from "../support/service/sluice.ts";

const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
let responses = 0;

/** The events of a whole response. */
function respond(send: (event: object) => void): void {
  responses += 1;
  const id = `resp_${responses}`;
  send({ type: "response.created", response: { id, status: "in_progress" } });
  send({ type: "response.output_text.delta", response_id: id, delta: "hello" });
  send({ type: "response.done", response: { id, status: "completed", usage } });
}

const respondTo = (session: ScriptedSession, event: { readonly type: string }): void => {
  if (event.type === "response.create") {
    respond((answer) => session.send(answer));
  }
};

describe.each(arrangements)("a session, %s,", (arrangement) => {
  let provider: ScriptedSessions;
  let scene: RelayScene;
  let user: TestUser;
  let client: RealtimeClient | null = null;

  beforeAll(async () => {
    provider = startScriptedSessions();
    scene = await startRelayScene(arrangement, {
      env: { REALTIME_RECHECK_MS: "200", UNPAID_CALLS_PER_HOUR: "2" },
      prepare: async (rig) => {
        await addModelWithChannel(rig, "voice", `${provider.url}/v1`);
        await addModelWithChannel(rig, "other", `${provider.url}/v1`);
      },
    });
  });

  afterAll(async () => {
    await scene.close();
    await provider.stop();
  });

  beforeEach(async () => {
    provider.script({ onEvent: respondTo });
    user = await scene.rig.addUser();
  });

  afterEach(() => client?.terminate());

  const url = () => `${scene.sluice.url}/v1/realtime?model=voice`;
  const credential = () => ({ authorization: `Bearer ${user.apiKey}` });
  const open = async (): Promise<RealtimeClient> => {
    client = await RealtimeClient.open(url(), { headers: credential() });
    await client.next("session.created");
    return client;
  };
  const setKey = async (limits: { requests?: number; tokens?: number; models?: string }): Promise<void> => {
    await scene.rig.db.sql`
      update api_key set requests_per_minute = ${limits.requests ?? null}::int,
        tokens_per_minute = ${limits.tokens ?? null}::int,
        allowed_models = case when ${limits.models ?? null}::text is null then null else array[${limits.models ?? ""}] end
      where gateway_user_id = ${user.gatewayUserId}::bigint`;
  };
  const rows = async (count: number) => {
    const find = async () => [
      ...(await scene.rig.db.sql<{ outcome: string; quota: bigint; input: bigint; output: bigint }>`
        select outcome, quota, input_tokens as input, output_tokens as output from usage_log
        where gateway_user_id = ${user.gatewayUserId}::bigint order by request_id`),
    ];
    await waitUntil(async () => (await find()).length >= count);
    return await find();
  };
  const errorCode = async (session: RealtimeClient): Promise<string> =>
    ((await session.next("error")) as unknown as { error: { code: string } }).error.code;

  test("charges an event in bytes like one in text", async () => {
    provider.script({
      onEvent: (one, { type }) => {
        if (type === "response.create") {
          respond((event) => one.send(Buffer.from(JSON.stringify(event))));
          one.send({ type: "rate_limits.updated" });
        }
      },
    });
    const session = await open();
    session.send({ type: "response.create" });
    await session.next("rate_limits.updated");
    expect(session.frames.filter((frame) => typeof frame !== "string")).toHaveLength(3);
    await session.close();
    expect(await rows(1)).toMatchObject([{ outcome: "completed", input: 1_000n, output: 100n }]);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test.each([4001, 4003])("does not pass on a provider's %d, which only we may send", async (code) => {
    const session = await open();
    provider.script({ onEvent: (one) => one.close(code, "insufficient_quota") });
    session.send({ type: "response.create" });
    expect(await session.closed).toEqual({ code: 1011, reason: "upstream_error" });
  });

  test("charges transcribed time as input audio if a second has no price", async () => {
    provider.script({
      onEvent: (one) =>
        one.send({
          type: "conversation.item.input_audio_transcription.completed",
          usage: { type: "duration", seconds: 60 },
        }),
    });
    const session = await open();
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("conversation.item.input_audio_transcription.completed");
    await session.close();
    // A token of listening is 100 ms; at 0.15 USD for a million.
    expect(await rows(1)).toMatchObject([{ outcome: "completed", input: 600n, quota: 45n }]);
    expect(await scene.rig.checkMoney()).toEqual([]);
  });

  test("can't become one that only transcribes", async () => {
    const session = await open();
    const heard = provider.heard.length;
    for (const event of [
      { type: "session.update", session: { type: "transcription" } },
      { type: "transcription_session.update", session: {} },
    ]) {
      session.send(event);
      expect(await errorCode(session)).toBe("invalid_value");
    }
    expect(provider.heard).toHaveLength(heard);
  });

  test("requests no more responses than the key may send requests", async () => {
    await setKey({ requests: 3 });
    const session = await open();
    await session.say("one");
    await session.say("two");
    session.send({ type: "response.create", event_id: "third" });
    const { error } = (await session.next("error")) as unknown as { error: { code: string; event_id: string } };
    expect(error).toMatchObject({ code: "rate_limit_exceeded", event_id: "third" });
    // The session continues, and another one is refused.
    session.send({ type: "input_audio_buffer.clear" });
    expect((await tryHandshake(url(), credential())).error.code).toBe("rate_limit_exceeded");
    await session.close();
    expect(await rows(3)).toMatchObject([{ outcome: "completed" }, { outcome: "completed" }, { outcome: "refused" }]);
  });

  test("counts responses that nobody requested", async () => {
    await setKey({ requests: 3 });
    provider.script({
      onEvent: (one) => {
        respond((event) => one.send(event));
        respond((event) => one.send(event));
      },
    });
    const session = await open();
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("response.done");
    await session.next("response.done");
    session.send({ type: "response.create" });
    expect(await errorCode(session)).toBe("rate_limit_exceeded");
  });

  test("requests no response once the tokens of the key's minute are used up", async () => {
    await setKey({ tokens: 1_000 });
    const session = await open();
    await session.say("one");
    session.send({ type: "response.create" });
    expect(await errorCode(session)).toBe("rate_limit_exceeded");
  });

  test("that is abandoned before its response begins counts as an abandoned call", async () => {
    provider.script({});
    for (let times = 0; times < 2; times += 1) {
      const heard = provider.heard.length;
      const session = await open();
      session.send({ type: "response.create" });
      await waitUntil(async () => provider.heard.length > heard);
      await session.close();
    }
    await waitUntil(async () => {
      const answer = await fetch(`${scene.sluice.url}/v1/embeddings`, {
        method: "POST",
        headers: { ...credential(), "content-type": "application/json" },
        body: JSON.stringify({ model: "voice", input: "hello" }),
      });
      return (await answer.text()).includes("can make at most 2 calls per hour that");
    });
  });

  test("ends soon after the key loses access to its model", async () => {
    const session = await open();
    await setKey({ models: "other" });
    expect(await session.closed).toEqual({ code: 4003, reason: "model_not_found" });
  });
});
