import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { ConsoleClient } from "../accounts/console-client.ts";
import { patienceMs } from "../values/patience.ts";

type Rig = { readonly db: Database };

const path = "/backend/usage/payload/";
const pollMs = 20;

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await isSo()); ) {
    if (Date.now() > deadline) {
      throw new Error(`${what} did not happen`);
    }
    await Bun.sleep(pollMs);
  }
}

/** Changes settings of traces as a super-admin does, and waits until the service knows. */
export async function allowOwnPayloads(
  { db }: Rig,
  as: ConsoleClient,
  { isAllowed = true, readsPerHour = 60 } = {},
): Promise<void> {
  const values = { users_read_payloads: isAllowed, own_payload_reads_per_hour: readsPerHour };
  for (const [name, value] of Object.entries(values)) {
    await db.sql`
      insert into setting (name, value, updated_by_name)
      values (${`trace.${name}`}, ${JSON.stringify(value)}::text::jsonb, 'test')
      on conflict (name) do update set value = excluded.value, version = setting.version + 1`;
  }
  await until("the change of the settings", async () => {
    const { body } = await as.get(`${path}reading/`);
    const reading = body["reading"] as { is_allowed: boolean; reads_per_hour: number };
    return reading.is_allowed === isAllowed && reading.reads_per_hour === readsPerHour;
  });
}

/** Waits until the trace of a call and what was stored of its bodies are in the database. */
export async function untilTraced({ db }: Rig, requestId: string): Promise<void> {
  await until(`the trace of ${requestId}`, async () => {
    const [row] = await db.sql<{ is_whole: boolean }>`
      select t.payload <> 'stored' or r.segment_id is not null as is_whole
      from trace_record t left join lateral find_payload(t.day, t.request_id) r on true where request_id = ${requestId}::uuid`;
    return row?.is_whole === true;
  });
}
