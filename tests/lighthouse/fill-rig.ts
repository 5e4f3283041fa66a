import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { rebuildRollup } from "@sluice/control-plane/usage-rollup/service.ts";
import { addToLists, prepareLists } from "../support/list-scene.ts";
import type { WebRig } from "../support/web-rig.ts";

const rowsOfEachList = 60;
const callsOfUser = 900;
const daysBack = 30;

/** Rows in every list, and weeks of calls by the user who is logged in: pages are measured as they are when used. */
export async function fillRig({ rig: { db } }: WebRig): Promise<void> {
  const days = Array.from({ length: daysBack + 1 }, (_, index) =>
    new Date(Date.now() - index * 86_400_000).toISOString().slice(0, 10),
  );
  await createMissingPartitions(db, "usage_log", days);
  await prepareLists(db);
  await addToLists(db, "measured", rowsOfEachList);
  await db.sql`
    insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max)
    select 'measured-' || i, 'Measured ' || i, 'test', 1000, 1000 from generate_series(1, 6) i`;
  await db.sql`
    insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name)
    select gateway_user_id, sha256(('measured' || i)::bytea), 'sk-' || substr(md5(i::text), 1, 4), 'abcd', 'Key ' || i
    from generate_series(1, 12) i, user_profile where email = 'ada@example.org'`;
  await db.sql`
    insert into usage_log (day, request_id, gateway_user_id, api_key_id, user_budget_id, group_name, path, model, outcome,
      http_status, is_stream, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
      images, audio_ms, usage_source, rate_multiplier, quota, quota_held, attempts, first_byte_ms, duration_ms, started_at)
    select (c.at at time zone 'UTC')::date,
      (lpad(to_hex((extract(epoch from c.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
        || '8' || substr(md5(random()::text), 1, 15))::uuid,
      u.gateway_user_id, k.id, b.id, 'default', '/v1/chat/completions', 'measured-' || (1 + c.i % 6),
      case when c.i % 9 = 0 then 'failed' else 'completed' end, case when c.i % 9 = 0 then 502 else 200 end, true,
      200 + c.i % 700, 50 + c.i % 300, 0, 0, 0, 0, 0, 'provider', 1, 40 + c.i % 90, 200, '[]', 80 + c.i % 60, 400, c.at
    from (
        select i, now() - interval '1 hour' * floor(random() * 24 * ${daysBack}::int) as at
        from generate_series(1, ${callsOfUser}::int) i
      ) c, user_profile u, budget b, lateral (select min(id) as id from api_key where gateway_user_id = u.gateway_user_id) k
    where u.email = 'ada@example.org' and b.gateway_user_id = u.gateway_user_id`;
  for await (const { sums } of rebuildRollup(db, { isForced: true, isChecked: false })) {
    if (sums === null) {
      throw new Error("a day of the usage was not summed");
    }
  }
}
