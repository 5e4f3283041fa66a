import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { chat } from "../../support/calls/chat-call.ts";
import { allowFallbacks } from "../../support/calls/fallback-rules.ts";
import { waitUntil } from "../../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

const plain = "plain";
const spare = "spare";

describe("the models that may answer in place of another", () => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let sluice: SluiceProcess;
  let cookie: string;

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    for (const name of [plain, spare, "wide", "picture"]) {
      await rig.addModel(name);
      await rig.addChannel(`channel-${name}`, `${provider.url}/v1`, [name]);
    }
    await rig.db.sql`insert into user_group (name) values ('gold')`;
    await rig.db.sql`update model set context_tokens_max = 1000000 where name = 'wide'`;
    await rig.db.sql`update model set kind = 'image' where name = 'picture'`;
    sluice = await rig.start("one-process");
    ({ cookie } = await loginAdmin(rig));
  });
  afterAll(async () => {
    await rig.close();
    await provider.stop();
  });

  const save = async (fields: object) => {
    const answer = await fetch(`${sluice.url}/backend/admin/model/fallbacks/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: sluice.url, cookie },
      body: JSON.stringify({ model: plain, ...fields }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const rulesOf = async (name: string): Promise<unknown> => {
    const answer = await fetch(`${sluice.url}/backend/admin/model/list/?name=${name}`, { headers: { cookie } });
    return ((await answer.json()) as { rows: { fallbacks: unknown }[] }).rows[0]?.fallbacks;
  };

  test("are saved by group, listed with the model, recorded, and removed when none is named", async () => {
    const ofAll = { group_name: null, fallback_models: [spare], larger_model: "wide", is_for_every_key: false };
    const ofGroup = {
      group_name: "gold",
      fallback_models: ["wide", spare],
      larger_model: null,
      is_for_every_key: true,
    };
    expect(await save(ofGroup)).toMatchObject({ status: 200, body: { rule: ofGroup } });
    expect(await save({ ...ofAll, reason: "an outage" })).toMatchObject({ status: 200, body: { rule: ofAll } });
    expect(await rulesOf(plain)).toEqual([ofAll, ofGroup]);
    expect(await save({ ...ofGroup, fallback_models: [] })).toMatchObject({ status: 200, body: { rule: null } });
    expect(await rulesOf(plain)).toEqual([ofAll]);
    const [newest] = await rig.db.sql<{ before: object; after: object | null }>`
      select before, after from audit_log where action = 'model.fallbacks_save' order by id desc limit 1`;
    expect(newest).toMatchObject({ before: ofGroup, after: null });
  });

  test("apply to calls as soon as they are saved", async () => {
    expect((await save({ fallback_models: [spare] })).status).toBe(200);
    provider.script({ status: 500 }, { match: { credential: `upstream-channel-${plain}` }, times: "always" });
    const user = await rig.addUser();
    await allowFallbacks(rig.db, user.gatewayUserId);
    await waitUntil(
      async () => (await chat({ url: sluice.url, apiKey: user.apiKey }, { model: plain })).status === 200,
    );
    provider.reset();
    expect(await rig.checkMoney()).toEqual([]);
  });

  test.each([
    ["an unknown model", { fallback_models: ["nobody"] }, "fallback_models"],
    ["the model itself", { fallback_models: [plain] }, "fallback_models"],
    ["a model of another kind", { fallback_models: ["picture"] }, "fallback_models"],
    ["a model twice", { fallback_models: [spare, spare] }, "fallback_models"],
    ["more than three", { fallback_models: [spare, "wide", "gpt-4o-mini", "picture"] }, "fallback_models"],
    ["a larger model whose context is not larger", { larger_model: spare }, "larger_model"],
  ])("can't be %s", async (_what, fields, field) => {
    const { status, body } = await save(fields);
    expect(status).toBe(400);
    expect(Object.keys((body["error"] as { fields: object }).fields)).toEqual([field]);
  });

  test("can't be set for a model or a group that does not exist", async () => {
    expect((await save({ model: "nobody", fallback_models: [spare] })).status).toBe(404);
    expect((await save({ group_name: "nobody", fallback_models: [spare] })).status).toBe(404);
  });
});
