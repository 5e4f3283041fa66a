import type { Queryable } from "../../platform/db.ts";
import type { UsageFilter } from "./model.ts";
import { keysOf, spanOf } from "./views-store.ts";

/**
 * The UTC days on which the keys of a filter may have made calls, from the sums and from the calls that are in none yet: a
 * key that is seldom used would otherwise be looked for among all calls of its account. Null if all days have to be read,
 * because the filter names no keys or the sums are not complete.
 */
export async function daysOfKeys(db: Queryable, filter: UsageFilter): Promise<readonly string[] | null> {
  const { gatewayUserId, keyId, memberId, projectId } = filter;
  if (keyId === null && memberId === null && projectId === null) {
    return null;
  }
  const { from, to } = spanOf(filter);
  const [found] = await db.query<{ days: string[] | null }>(
    `with chosen as (${keysOf("$1", "$5", "$6")} and ($4::bigint is null or m.id = $4::bigint))
     select case when has_user_sums($1::bigint) then array(
       select (s.starts_at at time zone 'UTC')::date::text from usage_user_sum s
       where s.gateway_user_id = $1::bigint and s.grain = 'hours' and s.starts_at > $2::timestamptz - interval '2 hours'
         and s.starts_at < $3::timestamptz and s.api_key_id = any (array(select id from chosen))
       union
       select u.day::text from unsummed_usage($1::bigint, $2::timestamptz, $3::timestamptz) u
       where u.api_key_id in (select id from chosen)
     ) end as days`,
    [gatewayUserId, from, to, keyId, memberId, projectId],
  );
  return found?.days ?? null;
}
