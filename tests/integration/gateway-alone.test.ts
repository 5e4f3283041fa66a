import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

const user = "203.0.113.7";

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let gateway: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  gateway = await rig.startProcess({
    ROLES: "gateway",
    CLIENT_IP_HEADER: "x-real-ip",
    EDGE_ADDRESSES: "127.0.0.1",
  });
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

test("a gateway without a relay trusts its edge, and nobody else, about a call's origin", async () => {
  const { apiKey, gatewayUserId } = await rig.addUser();
  await rig.db.sql`
    update api_key set allowed_ips = array[${user}] where gateway_user_id = ${gatewayUserId}::bigint`;
  const status = async (headers: Record<string, string>, url = gateway.url): Promise<number> => {
    const answer = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}`, ...headers } });
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await status({ "x-real-ip": user })).toBe(200);
  expect(await status({ "x-real-ip": "203.0.113.8" })).toBe(403);
  // Everything before the last address is the client's own claim.
  expect(await status({ "x-real-ip": `203.0.113.8, ${user}` })).toBe(200);
  expect(await status({ "x-real-ip": `${user}, 203.0.113.8` })).toBe(403);
  expect(await status({ "x-forwarded-for": user })).toBe(403);
  expect(await status({})).toBe(403);
  const other = await rig.startProcess({
    ROLES: "gateway",
    CLIENT_IP_HEADER: "x-real-ip",
    EDGE_ADDRESSES: "198.51.100.1",
  });
  expect(await status({ "x-real-ip": user }, other.url)).toBe(403);
});
