import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { connectRaw, type RawConnection, rawChatRequest, rawRequest } from "../support/wire/raw-tcp-client.ts";

/** The server looks at its connections every four seconds, and a head may take ten. */
const endedMsMax = 20_000;
/** Many times the patience with idle connections: long enough that the server has looked at all of them. */
const silentMs = 14_000;

let provider: SandboxProvider;
let rig: SluiceRig;
let apiKey: string;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  ({ apiKey } = await rig.addUser());
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const get = (path: string): string => rawRequest([`GET ${path} HTTP/1.1`, "Host: 127.0.0.1"]);
const post = (path: string, body: object, headers: readonly string[] = []): string =>
  rawRequest(
    [`POST ${path} HTTP/1.1`, "Host: 127.0.0.1", "Content-Type: application/json", ...headers],
    JSON.stringify(body),
  );
const message = { model: "claude-test", max_tokens: 10, messages: [{ role: "user", content: "hello" }] };

describe.each([
  ["one process", "relay,gateway,backend"],
  ["a gateway that runs alone", "gateway"],
])("of %s", (_, roles) => {
  let sluice: SluiceProcess;
  const connect = async (): Promise<RawConnection> => await connectRaw(Number(new URL(sluice.url).port));

  beforeAll(async () => {
    sluice = await rig.startProcess({ ROLES: roles, CLIENT_IDLE_TIMEOUT_MS: "1000", BODY_TIMEOUT_MS: "2000" });
  });

  // Both run first, so that no other call is scripted.
  test.serial(
    "a call whose provider is silent for long is not cut, and its connection is closed once it is over",
    async () => {
      const held = provider.requests.length;
      provider.script({ silence: { afterChunks: 2 } });
      const stream = await connect();
      stream.send(rawChatRequest({ stream: true }, apiKey));
      const record = await provider.waitForHeld(held);
      provider.script({ neverAnswer: true });
      const whole = await connect();
      whole.send(rawChatRequest({}, apiKey));
      const second = await provider.waitForHeld(held + 1);
      provider.reset();
      const ends = Promise.race([stream.ended, whole.ended]);
      expect(await Promise.race([ends, Bun.sleep(silentMs).then(() => "open")])).toBe("open");
      record.release();
      second.release();
      await stream.waitForText("[DONE]");
      expect(Buffer.from(stream.received()).toString()).toStartWith("HTTP/1.1 200");
      await whole.waitForText("HTTP/1.1 ");
      expect(await Promise.all([stream.ended, whole.ended])).toHaveLength(2);
    },
  );

  test.concurrent.each<[name: string, sent: string, received: string]>([
    ["that never sent anything", "", ""],
    ["with part of a head", "GET /v1/models HTTP/1.1\r\nHos", ""],
    ["after a call without a key", get("/v1/models"), "HTTP/1.1 401"],
    ["after a response", rawChatRequest({}, "$KEY"), '"finish_reason"'],
    ["after a stream", rawChatRequest({ stream: true }, "$KEY"), "[DONE]"],
    ["after a call that nobody serves", rawChatRequest({ model: "nothing" }, "$KEY"), "HTTP/1.1 404"],
    ["after a message without a key", post("/msgcompat/v1/messages", message), "HTTP/1.1 4"],
    ["after a token count", post("/msgcompat/v1/messages/count_tokens", message, ["x-api-key: $KEY"]), "HTTP/1.1 4"],
    ["after an unknown path", get("/msgcompat/v1/nothing"), "HTTP/1.1 404"],
    ["after a session that was refused", get("/v1/realtime?model=gpt-4o-mini"), "HTTP/1.1 4"],
    ["after a probe", get("/healthz"), "HTTP/1.1 200"],
    ["after an endpoint", get("/backend/billing/plans/"), "HTTP/1.1 "],
    ["with part of a body", `${post("/v1/chat/completions", {}).split("{}")[0]}`, ""],
  ])(
    "a connection %s is closed",
    async (_name, sent, received) => {
      const connection = await connect();
      if (sent !== "") {
        connection.send(sent.replace("$KEY", apiKey));
        await connection.waitForText(received);
      }
      const late = Promise.withResolvers<string>();
      const timer = setTimeout(() => late.resolve("open"), endedMsMax);
      expect(await Promise.race([connection.ended, late.promise])).not.toBe("open");
      clearTimeout(timer);
    },
    endedMsMax + 5_000,
  );
});
