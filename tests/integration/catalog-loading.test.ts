import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadCatalog } from "@sluice/control-plane/gateway/catalog.ts";
import { addAbility, putChannel } from "@sluice/control-plane/gateway/channels/channels.ts";
import { openChannelCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Transaction } from "@sluice/control-plane/platform/db.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";

const masterKey = new MasterKey(masterKeyBytes);
let rig: SluiceRig;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
});

afterAll(() => rig.close());

/** Waits until the load waits for a table. */
const untilBlocked = (tx: Transaction, table: string): Promise<void> =>
  waitUntil(async () => {
    const [waiting] = await tx.sql`
      select 1 from pg_locks where not granted and relation = ${table}::regclass
        and database = (select oid from pg_database where datname = current_database())`;
    return waiting !== undefined;
  });

const load = () =>
  loadCatalog({
    db: rig.db,
    openCredential: (id, sealed) => openChannelCredential(masterKey, id, sealed),
    openFurtherCredential: () => "another",
    isNodeAddressAllowed: () => true,
    log: createLog("error", () => undefined),
  });

/** What the catalog has of the new channel: its secrets, where it serves its model. */
const servedBy = ({ abilities }: Awaited<ReturnType<typeof load>>) =>
  (abilities.get("default")?.get("new-model") ?? []).map(({ channel }) =>
    channel.credentials.map(({ secret }) => secret),
  );

test("a channel that is created while the catalog is loaded is seen whole or not at all", async () => {
  let loading: ReturnType<typeof load> | null = null;
  await rig.db.withTransaction(async (tx) => {
    await tx.sql`lock table channel in access exclusive mode`;
    const settings = { name: "new", baseUrl: "http://127.0.0.1:9/v1", credential: "secret" };
    const id = await putChannel(tx, masterKey, settings);
    await addAbility(tx, "default", "new-model", id);
    loading = load();
    await untilBlocked(tx, "channel");
  });
  // The load began before the channel was there.
  expect(servedBy(await (loading ?? load()))).toEqual([]);
  expect(servedBy(await load())).toEqual([["secret"]]);
});

test("a change of a channel and its ability is seen whole or not at all", async () => {
  const loading = await rig.db.withTransaction(async (tx) => {
    await tx.sql`lock table ability in access exclusive mode`;
    await tx.sql`update channel set requests_per_minute = 7 where name = 'new'`;
    await tx.sql`update ability set priority = 7 where model = 'new-model'`;
    const begun = load();
    await untilBlocked(tx, "ability");
    return { begun };
  });
  const seen = (catalog: Awaited<ReturnType<typeof load>>) =>
    catalog.abilities
      .get("default")
      ?.get("new-model")
      ?.map(({ channel, priority }) => [channel.requestsPerMinute, priority]);
  expect(seen(await loading.begun)).toEqual([[null, 0]]);
  expect(seen(await load())).toEqual([[7, 7]]);
});

test("a channel whose last credential was just removed is not called without one", async () => {
  await rig.db.sql`delete from channel_credential where channel_id = (select id from channel where name = 'new')`;
  const { abilities } = await load();
  expect(abilities.get("default")?.has("new-model") ?? false).toBe(false);
});
