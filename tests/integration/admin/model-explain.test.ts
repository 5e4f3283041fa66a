/** What the route tester says about a name: it has to be what happens to a call. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { serveThrough } from "../../support/calls/call-routes.ts";
import { addFallbacks, allowFallbacks } from "../../support/calls/fallback-rules.ts";
import { saveMapEntry } from "../../support/messages/messages-rig.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../../support/service/sluice.ts";

type Explanation = { readonly outcome: string; readonly [field: string]: unknown };

let provider: ReturnType<typeof startSandboxProvider>;
let rig: SluiceRig;
let sluice: SluiceProcess;
let cookie: string;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  for (const dialect of ["chat", "responses", "messages"] as const) {
    await rig.addModel(`only-${dialect}`);
    await serveThrough(rig, `only-${dialect}`, dialect, provider.url);
  }
  // A model that both kinds of channels serve, with the one that needs a conversion three times as heavy.
  await rig.addModel("both");
  await serveThrough(rig, "both", "messages", provider.url);
  await rig.addChannel("both-by-chat", `${provider.url}/v1`, ["both"]);
  await rig.db
    .sql`update ability set weight = 3 where channel_id = (select id from channel where name = 'both-by-chat')`;
  await rig.addModel("stranded");
  await rig.db.sql`delete from ability where model = 'stranded'`;
  await addFallbacks(rig.db, "stranded", ["only-chat"], { larger: "both" });
  await saveMapEntry(rig, { name: "mapped", upstream_model: "only-chat" });
  await saveMapEntry(rig, { name: "only-messages", upstream_model: "only-chat" });
  await saveMapEntry(rig, { name: "only-responses", upstream_model: "only-chat", is_enabled: false });
  await saveMapEntry(rig, { name: "off", upstream_model: "only-chat", is_enabled: false });
  await rig.db.sql`insert into user_group (name) values ('gold')`;
  sluice = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
  user = await rig.addUser();
  await allowFallbacks(rig.db, user.gatewayUserId);
});
afterAll(async () => {
  await rig.close();
  await provider.stop();
});

async function post(path: string, fields: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${sluice.url}/backend/admin/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: sluice.url, cookie },
    body: JSON.stringify(fields),
  });
  return (await answer.json()) as Record<string, unknown>;
}

async function explain(query: Record<string, string>): Promise<Explanation> {
  const address = `${sluice.url}/backend/admin/model/explain/?${new URLSearchParams(query)}`;
  const answer = await fetch(address, { headers: { cookie } });
  return ((await answer.json()) as { explanation: Explanation }).explanation;
}

describe("the route of a name", () => {
  test("names the channels that it can reach, with their share, and why the others are excluded", async () => {
    await rig.addModel("asked-model");
    await rig.db.sql`delete from ability where model = 'asked-model'`;
    const channels: number[] = [];
    for (const [name, weight, priority] of [
      ["a", 3, 0],
      ["b", 1, 0],
      ["c", 1, 1],
      ["d", 9, 0],
    ] as const) {
      const made = await post("channel/save/", {
        name: `way-${name}`,
        upstream: openaiUpstream("http://127.0.0.1:9/v1"),
        status: "enabled",
      });
      const { channel_id } = made["channel"] as { channel_id: number };
      channels.push(channel_id);
      await post("ability/save/", { group_name: "default", model: "asked-model", channel_id, weight, priority });
    }
    await post("channel/disable/", { channel_ids: [channels[3]] });
    expect(await explain({ name: "asked-model" })).toMatchObject({
      ...{ outcome: "reachable", upstream_model: "asked-model", reachable_groups: ["default"], fallbacks: null },
      candidates: [
        { channel_name: "way-a", place: "first", share_percent: 75 },
        { channel_name: "way-b", place: "first", share_percent: 25 },
        { channel_name: "way-d", place: "never", share_percent: null, reasons: ["channel_disabled"] },
        { channel_name: "way-c", place: "fallback", share_percent: 100 },
      ],
    });
    const other = await explain({ name: "asked-model", group_name: "gold" });
    expect(other).toMatchObject({ outcome: "no_channel", reachable_groups: ["default"] });
    expect(await explain({ name: "asked-model", group_name: "nobody" })).toMatchObject({ outcome: "group_unknown" });
  });

  test.each([
    [{ name: "none" }, { outcome: "model_unknown", upstream_model: null }],
    [
      { name: "none", route: "messages" },
      { outcome: "model_unknown", upstream_model: null },
    ],
    [
      { name: "off", route: "messages" },
      { outcome: "mapping_disabled", upstream_model: null },
    ],
    [{ name: "mapped" }, { outcome: "model_unknown", upstream_model: null }],
    [
      { name: "mapped", route: "messages" },
      { outcome: "reachable", upstream_model: "only-chat", is_mapped: true },
    ],
    [
      { name: "mapped[1m]", route: "messages" },
      { outcome: "reachable", upstream_model: "only-chat" },
    ],
    [
      { name: "only-chat", route: "messages" },
      { outcome: "reachable", upstream_model: "only-chat", is_mapped: false },
    ],
    // Its channels speak the API itself, so that the map does not count.
    [
      { name: "only-messages", route: "messages" },
      { outcome: "reachable", upstream_model: "only-messages" },
    ],
    [
      { name: "only-responses", route: "messages" },
      { outcome: "no_channel", upstream_model: "only-responses" },
    ],
  ])("%p is %p", async (query, expected) => {
    expect(await explain(query as Record<string, string>)).toMatchObject(expected);
  });

  const calls = {
    chat: ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
    responses: ["/v1/responses", { input: "Hi" }],
    messages: ["/v1/messages", { max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }],
  } as const;
  const apis = Object.keys(calls) as (keyof typeof calls)[];
  const send = async (api: keyof typeof calls, model: string): Promise<Response> =>
    await fetch(`${sluice.url}${calls[api][0]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, ...calls[api][1] }),
    });

  test.each(apis.flatMap((api) => ["chat", "responses", "messages"].map((channel) => [api, channel] as const)))(
    "of a %s client to a channel that speaks %s is the one that its call takes",
    async (api, channel) => {
      const name = `only-${channel}`;
      const { outcome, candidates } = await explain({ name, api });
      const [way, reasons] =
        api === channel ? ["as_it_is", []] : channel === "responses" ? [null, ["other_api"]] : ["converted", []];
      expect(candidates).toMatchObject([{ way, reasons }]);
      const { status } = await send(api, name);
      expect([outcome, status]).toEqual(way === null ? ["no_channel", 400] : ["reachable", 200]);
    },
  );

  test("goes first to channels that speak the client's API, whatever the others weigh", async () => {
    expect((await explain({ name: "both", api: "messages" }))["candidates"]).toMatchObject([
      { channel_name: "channel-both", way: "as_it_is", place: "first", share_percent: 100 },
      { channel_name: "both-by-chat", way: "converted", place: "fallback", share_percent: 100 },
    ]);
    expect((await explain({ name: "both", api: "responses" }))["candidates"]).toMatchObject([
      { channel_name: "channel-both", place: "fallback" },
      { channel_name: "both-by-chat", way: "as_it_is", place: "first", share_percent: 100 },
    ]);
  });

  test("continues with other models, where a rule says so", async () => {
    const rule = {
      ...{ is_of_group: false, is_for_every_key: false },
      models: [
        { name: "only-chat", is_larger: false, outcome: "reachable" },
        { name: "both", is_larger: true, outcome: "reachable" },
      ],
    };
    expect(await explain({ name: "stranded" })).toMatchObject({ outcome: "fallback_only", fallbacks: rule });
    const answer = await send("chat", "stranded");
    expect([answer.status, answer.headers.get("x-sluice-model-used")]).toEqual([200, "only-chat"]);
    await addFallbacks(rig.db, "stranded", ["both"], { group: "gold", isForEveryKey: true });
    expect(await explain({ name: "stranded", group_name: "gold" })).toMatchObject({
      outcome: "no_channel",
      fallbacks: {
        ...{ is_of_group: true, is_for_every_key: true },
        models: [{ name: "both", is_larger: false, outcome: "no_channel" }],
      },
    });
  });
});
