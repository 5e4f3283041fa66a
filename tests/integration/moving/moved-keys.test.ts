import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyPeer, endMove, move } from "../../support/moving/peers.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const letters = "fwRIUl5xYi9FFRRx15A6E0636bAd41B7A2CfEeFdFcA781E4";
const short = "aB3_-xyzABCDEFGHIJ0123";
const long = `${"long.key~".repeat(14)}ZZ`;

let rig: SluiceRig;
let services: readonly SluiceProcess[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  await using peer = await copyPeer("one-api");
  peer.change(`update tokens set key = '${short}' where name = 'bob-main'`);
  peer.change(`update tokens set key = '${long}' where name = 'carol-stream 🎉'`);
  peer.change("update tokens set key = 'too short' where name = 'ivan-a'");
  const from = `sqlite:${peer.path}`;
  const { findings } = await move(rig.db, "one-api", { from });
  expect(findings.filter(({ table, level }) => table === "tokens" && level === "lost").map(({ id }) => id)).toEqual([
    "34",
  ]);
  await endMove(rig.db, "one-api", { from });
  services = [await rig.startProcess({ CHAT_FRONT: "off" }), await rig.startProcess({ CHAT_FRONT: "on" })];
});
afterAll(() => rig.close());

/** The status of a list of models, and of a call that the front reads itself. The catalog's provider is unreachable. */
async function statusesOf(headers: Record<string, string>): Promise<readonly number[]> {
  const statuses = services.flatMap(({ url }) => [
    fetch(`${url}/v1/models`, { headers }),
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "nobody-has-this", messages: [{ role: "user", content: "Hello" }] }),
    }),
  ]);
  return await Promise.all(statuses.map(async (each) => (await each).status));
}

const isAccepted = [200, 404, 200, 404];
const isRefused = [401, 401, 401, 401];

describe("with and without the front, a moved key", () => {
  test.each([
    ["as it is", { authorization: `Bearer sk-${letters}` }],
    ["without sk-, as one-api allows", { authorization: `Bearer ${letters}` }],
    ["without Bearer, as one-api allows", { authorization: `sk-${letters}` }],
    ["with neither", { authorization: letters }],
    ["in the header of Anthropic's clients", { "x-api-key": letters }],
    ["of 22 characters", { authorization: `Bearer sk-${short}` }],
    ["of 128 characters", { authorization: `Bearer sk-${long}` }],
  ])("%s is accepted", async (_, headers) => {
    expect(await statusesOf(headers)).toEqual(isAccepted);
  });

  test.each([
    ["with a letter more", { authorization: `Bearer sk-${short}X` }],
    ["with a letter less", { authorization: `Bearer sk-${short.slice(1)}` }],
    ["that is too long to be one", { authorization: `Bearer sk-${"x".repeat(129)}` }],
    ["under another scheme", { authorization: `Basic ${letters}` }],
  ])("%s is refused", async (_, headers) => {
    expect(await statusesOf(headers)).toEqual(isRefused);
  });
});
