import { afterAll, beforeAll, expect, test } from "bun:test";
import { byKeyField, type KeyField, keyFields } from "@sluice/contracts/key-fields";
import { toCallSettings } from "@sluice/control-plane/gateway/keys/model.ts";
import { findPrincipal } from "@sluice/control-plane/gateway/keys/store.ts";
import { dayMs } from "@sluice/control-plane/platform/clock.ts";
import { sha256 } from "@sluice/control-plane/platform/crypto/digest.ts";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import {
  findKey,
  type Key,
  type KeyScene,
  type Made,
  makeKey,
  saveKey,
  startKeyScene,
} from "../support/calls/key-scene.ts";

/** A moment so many days from now. */
const daysAhead = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();

/** Two values for each kind of field. */
const samples = {
  name: ["one", "other"],
  quota: [5_000_000, 6_000_000],
  period: ["weekly", "daily"],
  models: [["flat"], ["gpt-4o-mini", "flat"]],
  addresses: [["127.0.0.1"], ["127.0.0.0/8", "2001:db8::/32"]],
  moment: [daysAhead(90), daysAhead(120)],
  count: [7_001, 7_002],
  flag: [false, true],
} as const;

const valuesOf = (index: 0 | 1) =>
  byKeyField<Record<KeyField["kind"], unknown>>(keyFields, ({ kind }) => samples[kind][index]);
const [first, second] = [valuesOf(0), valuesOf(1)];

let scene: KeyScene;

beforeAll(async () => {
  scene = await startKeyScene();
});

afterAll(() => scene?.close());

test("every field is kept as it was sent, changes, and is shown to admins", async () => {
  const { as } = await scene.enter();
  const { key } = await makeKey(as, first);
  expect(await findKey(as, key.key_id)).toMatchObject(first);
  expect(await saveKey(as, key, second)).toMatchObject(second);
  const { cookie } = await loginAdmin(scene.rig);
  const admin = consoleClient(scene.replicas[0]?.url ?? "", cookie);
  const { rows } = (await admin.get("/backend/admin/key/list/", { key_id: String(key.key_id) })).body;
  expect(rows).toMatchObject([second]);
});

test("rotation copies every field, and a shared one stays the same for both keys", async () => {
  const { as } = await scene.enter();
  const made = await makeKey(as, first);
  const body = { key_id: made.key.key_id, overlap_seconds: 600 };
  const rotated = (await as.post("/backend/keys/rotate/", body)).body as unknown as Made & { old: Key };
  expect(rotated.key).toMatchObject(first);
  await saveKey(as, rotated.key, second);
  const old = await findKey(as, made.key.key_id);
  for (const { name, isShared, kind } of keyFields) {
    // The old key ends with the overlap.
    if (kind !== "moment") {
      expect([name, old[name]]).toEqual([name, (isShared ? second : first)[name]]);
    }
  }
});

test("calls are admitted by the fields as they were sent", async () => {
  const { as } = await scene.enter();
  const { secret } = await makeKey(as, first);
  const principal = await findPrincipal(scene.rig.db, sha256(secret));
  const row = { ...first, expires_at: new Date(samples.moment[0]) } as unknown as Parameters<typeof toCallSettings>[0];
  expect(principal).toMatchObject(toCallSettings(row));
  expect(principal).toMatchObject({ tokensPerMinute: 7_001, allowedModels: new Set(["flat"]), isPayloadTraced: false });
});
