import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { findAppRole } from "@sluice/control-plane/db/app-role.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { seal } from "@sluice/control-plane/platform/crypto/seal.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { openStoredPayload } from "@sluice/control-plane/trace/open-stored-payload.ts";
import { dayKeyContext, PayloadKeys } from "@sluice/control-plane/trace/payload-keys.ts";
import { TraceRetention } from "@sluice/control-plane/trace/retention.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { chat } from "../support/calls/chat-call.ts";
import { holdJob } from "../support/postgres/held-job.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../support/service/start-process.ts";
import { dayBeforeNow } from "../support/trace/aged-days.ts";
import { countUnder } from "../support/trace/sealed-values.ts";
import { fillTraceDay, type TraceDay } from "../support/trace/trace-days.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";

const keyCount = process.env["TEST_FULL"] === "1" ? 2_000 : 350;
const retentionDays = 300;
const newBytes = randomBytes(32);
const [oldKey, newKey] = [new MasterKey(masterKeyBytes), new MasterKey(newBytes)];
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const newThenOld = { MASTER_KEY: base64(newBytes), MASTER_KEY_PREVIOUS: base64(masterKeyBytes) };

let provider: SandboxProvider;
let rig: SluiceRig;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
});

afterAll(async () => {
  await rig?.close();
  await provider?.stop();
});

function rotate(): StartedProgram {
  const command = join(repositoryRoot, "control-plane/src/commands/rotate-secrets.ts");
  const env = { DATABASE_URL: rig.database.url, NODE_ENV: "production", ...newThenOld };
  return startProgram({ command: [process.execPath, command], words: [], env });
}

/** A run that is killed after its first step; a locked row keeps it from finishing earlier. */
async function killInTheMiddle(): Promise<void> {
  const holder = openDatabase({
    url: rig.database.url,
    poolMax: 1,
    applicationName: "test",
    idleInTransactionTimeoutMs: 90_000,
  });
  await holder.withTransaction(async (tx) => {
    await tx.sql`select day from payload_day_key where wrapped is not null order by day limit 1 for update`;
    const killed = rotate();
    await killed.waitFor("payload_day_key.wrapped: 100 of");
    killed.signal("SIGKILL");
    await killed.exited;
  });
  await holder.close(500);
}

async function rotateAll(): Promise<string> {
  const program = rotate();
  if ((await program.exited) !== 0) {
    throw new Error(program.output());
  }
  return program.output();
}

/** Two runs that lock the table of keys may collide once; both can be run again. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3) {
        throw error;
      }
    }
  }
}

/** Keys of past days, as in a service that has kept payloads for a while. */
async function fillKeys(): Promise<void> {
  await rig.db.withTransaction(async (tx) => {
    for (let index = 0; index < keyCount; index += 1) {
      const [day, keyId] = [dayBeforeNow(20 + index), randomBytes(4).toHex()];
      const wrapped = seal(oldKey.sealing, randomBytes(32), dayKeyContext(day, keyId));
      await tx.sql`
        insert into payload_day_key (day, key_id, wrapped) values (${day}::text::date, ${keyId}, ${wrapped})
        on conflict do nothing`;
    }
  });
}

async function promptsUnder(masterKey: MasterKey, days: readonly TraceDay[]): Promise<string[]> {
  const keys = new PayloadKeys({ db: rig.db, masterKey, clock: systemClock, log: silentLog });
  const prompts: string[] = [];
  for (const { day, requestIds } of days) {
    for (const requestId of requestIds) {
      const opened = await openStoredPayload(rig.db, keys, day, requestId);
      prompts.push(Buffer.from(opened?.request ?? []).toString());
    }
  }
  return prompts;
}

test("day keys change their master key while calls are encrypted under them and old days end, through a kill in the middle", async () => {
  const { apiKey } = await rig.addUser();
  const days: TraceDay[] = [];
  for (const daysAgo of [3, 60, 200]) {
    days.push(await fillTraceDay(rig.db, oldKey, { daysAgo }));
  }
  await fillKeys();
  // The job of the replicas, every ten minutes, would end the days after a week.
  await using _retention = await holdJob(rig.database.url, "trace-retention");
  const replicas = await Promise.all([rig.startProcess(newThenOld), rig.startProcess(newThenOld)]);
  let isStopped = false;
  const seen: string[] = [];
  const callers = replicas.map(async ({ url }) => {
    while (!isStopped) {
      const { requestId, isWhole } = await chat({ url, apiKey }, { model: "gpt-4o-mini", max_tokens: 5 });
      expect(isWhole).toBe(true);
      seen.push(requestId ?? "");
    }
  });
  await killInTheMiddle();
  expect(await countUnder(rig.db, oldKey.id)).toBeGreaterThan(0);
  expect(await countUnder(rig.db, newKey.id)).toBeGreaterThanOrEqual(100);
  // In this state, as in any other, both keys together can read everything.
  const both = new MasterKey(newBytes, oldKey);
  expect(new Set(await promptsUnder(both, days))).toEqual(new Set(["a prompt"]));
  // The end of the retention rewrites the table of keys, beside the second run.
  const rules = {
    payloadRetentionDays: retentionDays,
    metadataRetentionDays: 365,
    readsPerHour: 1,
  };
  const app = openDatabase({
    url: rig.database.url,
    poolMax: 2,
    applicationName: "test",
    role: await findAppRole(rig.database.url),
  });
  const retention = new TraceRetention({ db: app, log: silentLog, rules: () => rules });
  const [run, output] = await Promise.all([untilDone(() => retention.run()), untilDone(rotateAll)]);
  await app.close(500);
  expect(output).toContain(`nothing is left under key ${oldKey.id}`);
  expect(run.destroyedDays.length).toBeGreaterThanOrEqual(20 + keyCount - 1 - retentionDays);
  isStopped = true;
  await Promise.all(callers);
  expect(await countUnder(rig.db, oldKey.id)).toBe(0);
  await Promise.all(replicas.map((replica) => replica.stop()));
  // Every payload, old or new, opens with the new key, and none with the old one.
  const calls = await rig.db.sql<{ day: string; request_id: TraceDay["requestIds"][number] }>`
    select t.day::text as day, t.request_id::text as request_id
    from trace_record t cross join lateral find_payload(t.day, t.request_id)
    where t.request_id = any (${`{${seen.join(",")}}`}::uuid[])`;
  expect(calls.length).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(2);
  const meanwhile = calls.map(({ day, request_id: requestId }) => ({ day, requestIds: [requestId] }));
  expect(new Set(await promptsUnder(newKey, days))).toEqual(new Set(["a prompt"]));
  expect((await promptsUnder(newKey, meanwhile)).filter((prompt) => !prompt.includes('"content":"hello"'))).toEqual([]);
  await expect(promptsUnder(oldKey, days)).rejects.toThrow(`sealed under key ${newKey.id}`);
  const [left] = await rig.db.sql<{ rows: number }>`
    select count(*)::int as rows from payload_day_key where wrapped is not null and day < current_date - 320`;
  expect(left?.rows).toBe(0);
});
