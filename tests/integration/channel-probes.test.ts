/** Periodic tests of channels: recorded, charged to nobody, and a channel that fails them rests until one succeeds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Probes } from "@sluice/control-plane/gateway/catalog-admin/probe/exchange.ts";
import { probeChannels } from "@sluice/control-plane/gateway/catalog-admin/probe/probe-channels.ts";
import { openChannelCredential, openFurtherCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { loginAdmin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";

const model = "probed";

describe("a channel with periodic tests", () => {
  let scene: RelayScene;
  let client: PooledHttpClient;

  beforeAll(async () => {
    scene = await startRelayScene("one-process", {
      // Without jobs: one of them tests the channels every minute.
      env: { ROLES: "relay,gateway,backend" },
      prepare: async (rig, { url }) => {
        await rig.addModel(model);
        await rig.addChannel("tested", `${url}/v1`, [model]);
        await rig.addChannel("untested", `${url}/v1`, [model]);
        await rig.db
          .sql`update ability set priority = 1 where channel_id = (select id from channel where name = 'untested')`;
      },
    });
    client = new PooledHttpClient();
    await scene.rig.db.sql`update channel set probe_minutes = 1, probe_model = ${model} where name = 'tested'`;
  });
  afterAll(async () => {
    expect(await scene.rig.checkMoney()).toEqual([]);
    await scene.close();
  });

  /** One run of the job, in which every channel with tests is due. */
  const run = async (behaviour: Behaviour): Promise<void> => {
    const key = new MasterKey(masterKeyBytes);
    scene.provider.reset();
    scene.provider.script(behaviour, { match: { credential: "upstream-tested" }, times: "always" });
    await scene.rig.db.sql`update channel_probe set probed_at = now() - interval '1 minute'`;
    await probeChannels({
      ...{ db: scene.rig.db, guard: null, log: createLog("error", () => undefined) },
      probes: new Probes(() => Promise.resolve(client), systemClock),
      openCredentials: {
        ofChannel: openChannelCredential.bind(null, key),
        further: openFurtherCredential.bind(null, key),
      },
    });
  };
  const state = async () => {
    const rows = await scene.rig.db.sql<{ is_ok: boolean; failed: number; rested: boolean; error: string | null }>`
      select is_ok, failed_in_row as failed, rested_at is not null as rested, error from channel_probe`;
    expect(rows).toHaveLength(1);
    return rows[0];
  };
  /** The credential with which a call reaches the provider. */
  const usedBy = async (): Promise<string | null> => {
    scene.provider.reset();
    await chat({ url: scene.sluice.url, apiKey: scene.user.apiKey }, { model });
    return scene.provider.requests[0]?.credential ?? null;
  };

  test("is tested with the chosen model, and nobody is charged", async () => {
    await run({});
    expect(scene.provider.requests.map(({ credential }) => credential)).toEqual(["upstream-tested"]);
    expect(await state()).toMatchObject({ is_ok: true, failed: 0, rested: false, error: null });
    const [rows] = await scene.rig.db.sql<{ calls: bigint }>`select count(*) as calls from usage_log`;
    expect(rows?.calls).toBe(0n);
  });

  test("is not tested again before its time", async () => {
    await run({});
    scene.provider.reset();
    await probeChannels({
      ...{ db: scene.rig.db, guard: null, log: createLog("error", () => undefined) },
      probes: new Probes(() => Promise.resolve(client), systemClock),
      openCredentials: { ofChannel: () => "", further: () => "" },
    });
    expect(scene.provider.requests).toHaveLength(0);
  });

  test("rests after three failures in a row: other channels get its calls until a test succeeds", async () => {
    for (let turn = 1; turn <= 3; turn += 1) {
      await run({ status: 500 });
      expect(await state()).toMatchObject({ is_ok: false, failed: turn, rested: turn === 3 });
    }
    await waitUntil(async () => (await usedBy()) === "upstream-untested");
    await run({});
    expect(await state()).toMatchObject({ is_ok: true, failed: 0, rested: false });
    await waitUntil(async () => (await usedBy()) === "upstream-tested");
  });

  test("does not rest because of a limit, and its health shows the latest test", async () => {
    await run({ status: 429 });
    expect(await state()).toMatchObject({ is_ok: false, failed: 0, rested: false });
    const { cookie } = await loginAdmin(scene.rig);
    const answer = await fetch(`${scene.sluice.url}/backend/admin/channel/health/`, { headers: { cookie } });
    const { probes } = (await answer.json()) as { probes: object[] };
    expect(probes).toMatchObject([{ channel_name: "tested", model, is_ok: false, http_status: 429 }]);
  });
});
