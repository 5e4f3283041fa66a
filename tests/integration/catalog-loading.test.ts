import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadCatalog } from "@sluice/control-plane/gateway/catalog.ts";
import { addAbility, putChannel } from "@sluice/control-plane/gateway/channels/channels.ts";
import { openChannelCredential } from "@sluice/control-plane/gateway/channels/credentials.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";

const masterKey = new MasterKey(masterKeyBytes);
let rig: SluiceRig;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
});

afterAll(() => rig.close());

const load = () =>
  loadCatalog({
    db: rig.db,
    openCredential: (id, sealed) => openChannelCredential(masterKey, id, sealed),
    openFurtherCredential: () => "another",
    isNodeAddressAllowed: () => true,
    log: createLog("error", () => undefined),
  });

test("a channel that is created while the catalog is loaded is never seen without its credential", async () => {
  let loading: ReturnType<typeof load> | null = null;
  await rig.db.withTransaction(async (tx) => {
    await tx.sql`lock table channel in access exclusive mode`;
    const settings = { name: "new", baseUrl: "http://127.0.0.1:9/v1", credential: "secret" };
    const id = await putChannel(tx, masterKey, settings);
    await addAbility(tx, "default", "new-model", id);
    loading = load();
    await waitUntil(async () => {
      const [waiting] = await tx.sql`
        select 1 from pg_locks where not granted and relation = 'channel'::regclass
          and database = (select oid from pg_database where datname = current_database())`;
      return waiting !== undefined;
    });
  });
  const catalog = await (loading ?? load());
  const served = catalog.abilities.get("default")?.get("new-model") ?? [];
  expect(served.map(({ channel }) => channel.credentials.map(({ secret }) => secret))).toEqual([["secret"]]);
});

test("a channel whose last credential was just removed is not called without one", async () => {
  await rig.db.sql`delete from channel_credential where channel_id = (select id from channel where name = 'new')`;
  const { abilities } = await load();
  expect(abilities.get("default")?.has("new-model") ?? false).toBe(false);
});
