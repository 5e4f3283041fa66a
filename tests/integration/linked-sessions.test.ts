import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { RealtimeClient, tryHandshake } from "../support/calls/realtime-client.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import type { TestUser } from "../support/service/sluice.ts";

const home = "203.0.113.7";
const elsewhere = "203.0.113.8";

type Credential = { readonly headers?: Record<string, string>; readonly subprotocols?: readonly string[] };

/** How programs and browsers send their key. */
const ways: readonly [string, (key: string) => Credential][] = [
  ["as a bearer", (key) => ({ headers: { authorization: `Bearer ${key}` } })],
  ["in a separate header", (key) => ({ headers: { "x-api-key": key } })],
  ["among the subprotocols", (key) => ({ subprotocols: ["realtime", `openai-insecure-api-key.${key}`] })],
];

let scene: RelayScene;
let user: TestUser;
let url: string;

beforeAll(async () => {
  scene = await startRelayScene("split", { env: { CLIENT_IP_HEADER: "x-real-ip", EDGE_ADDRESSES: "127.0.0.1" } });
  url = `${scene.sluice.url}/v1/realtime?model=gpt-4o-mini`;
});

afterAll(() => scene.close());

beforeEach(async () => {
  user = await scene.rig.addUser();
});

describe.each(ways)("a session through a separate relay, with the key %s", (_, credential) => {
  const openFrom = (address: string): Promise<RealtimeClient> => {
    const { headers = {}, ...rest } = credential(user.apiKey);
    return RealtimeClient.open(url, { ...rest, headers: { ...headers, "x-real-ip": address } });
  };
  const refusedFrom = async (address: string): Promise<number> => {
    const { headers = {}, subprotocols } = credential(user.apiKey);
    const offer = subprotocols === undefined ? {} : { "sec-websocket-protocol": subprotocols.join(", ") };
    return (await tryHandshake(url, { ...headers, ...offer, "x-real-ip": address })).status;
  };
  const allowOnly = async (address: string): Promise<void> => {
    await scene.rig.db.sql`
      update api_key set allowed_ips = array[${address}] where gateway_user_id = ${user.gatewayUserId}::bigint`;
  };

  test("is opened from an address of the key, and from no other", async () => {
    await allowOnly(home);
    const client = await openFrom(home);
    await client.close();
    expect(await refusedFrom(elsewhere)).toBe(403);
  });

  test("is not attributed to the relay's address", async () => {
    await allowOnly("127.0.0.1");
    expect(await refusedFrom(elsewhere)).toBe(403);
  });

  test("is recorded as its owner's, under the id that its rows refer to", async () => {
    const client = await openFrom(home);
    await client.say("hello");
    await client.close();
    const find = () => scene.rig.db.sql<{ client_ip: string }>`
      select trace.client_ip::text as client_ip from trace_record trace
      join usage_log usage on right(usage.request_id::text, 12) = right(trace.request_id::text, 12)
      where trace.gateway_user_id = ${user.gatewayUserId}::bigint and usage.gateway_user_id = trace.gateway_user_id`;
    await waitUntil(async () => (await find()).length === 1);
    expect((await find())[0]?.client_ip).toBe(home);
  });
});
