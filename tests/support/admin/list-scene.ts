import { openaiUpstream } from "@sluice/contracts/upstreams";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";

/** Over how many days the rows of a scene are spread, ending today. */
const daysBack = 20;

/** The days of the usage log, house accounts that entries need, and the text that is accepted. */
export async function prepareLists(db: Database): Promise<void> {
  const days = Array.from({ length: daysBack + 2 }, (_, index) =>
    new Date(Date.now() - (daysBack - index) * 86_400_000).toISOString().slice(0, 10),
  );
  await createMissingPartitions(db, "usage_log", days);
  await db.sql`
    insert into legal_text (page, locale, markdown, effective_on, version, edition, updated_by, updated_by_name)
    values ('terms', 'en', 'Be kind.', current_date, 1, 1, 1, 'somebody')`;
}

/** A random moment of the past days, for row `i`; some rows share theirs. */
const someTime = "now() - interval '1 hour' * floor(random() * 400)";

/**
 * Adds this many rows to every list, between existing ones: related rows belong to one user. Names begin with the text,
 * which must be different each time.
 */
export async function addToLists(db: Database, name: string, count: number): Promise<void> {
  const named = (what: string): string => `'${what}-${name}-' || i`;
  const each = `generate_series(1, ${count}) i`;
  const statements = [
    `with account as (insert into gateway_user (created_at) select ${someTime} from ${each} returning id)
      insert into organisation (gateway_user_id, name, created_at)
      select id, 'Team ' || id, ${someTime} from account`,
    `insert into gateway_user (created_at) select ${someTime} from ${each}`,
    `insert into budget (gateway_user_id, granted) select g.id, 1000 from gateway_user g
      where not exists (select 1 from budget b where b.gateway_user_id = g.id)`,
    `insert into user_profile (gateway_user_id, email, status, created_at)
      select g.id, 'User-' || g.id || '@example.org', 'active', ${someTime} from gateway_user g
      where not exists (select 1 from account_owner p where p.gateway_user_id = g.id)`,
    `insert into user_registration (user_id, network, address_key, decided_at, credit_refusal)
      select p.id, '192.0.2', sha256(p.email::bytea), ${someTime}, 'network' from user_profile p
      where not exists (select 1 from user_registration r where r.user_id = p.id)`,
    `insert into legal_consent (user_id, page, edition, locale, version, way, accepted_at)
      select p.id, 'terms', 1, 'en', 1, 'registration', ${someTime} from user_profile p
      where not exists (select 1 from legal_consent c where c.user_id = p.id)`,
    `insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, created_at)
      select g.id, sha256((g.id || '${name}' || random())::bytea), 'sk-' || substr(md5(g.id::text), 1, 4), 'abcd', ${named("key")}, ${someTime}
      from ${each}, lateral (select max(id) as id from gateway_user where i > 0) g`,
    `insert into plan (plan_code, name, kind, price_usd, quota, features)
      select ${named("plan")}, 'Plan', 'monthly', floor(random() * 5) + 1, 10, '["one"]' from ${each}`,
    `insert into code_batch (name, plan_kind, quota, count, is_once_per_user, expires_at, created_by, created_at)
      select ${named("batch")}, 'wallet_balance', 10, 1, i % 2 = 0, case i % 3 when 0 then now() end, 'somebody', ${someTime} from ${each}`,
    `insert into coupon (code, kind, percent, is_first_purchase, plan_codes, expires_at, created_by, idempotency_key, created_at)
      select ${named("COUPON")}, 'percent', 10, i % 2 = 0, '{}', case i % 3 when 0 then now() end, 'somebody', ${named("coupon")}, ${someTime} from ${each}`,
    `insert into renewal (renewal_no, user_id, plan_code, plan_name, price_usd, quota, account, status, created_at)
      select ${named("RENEWAL")}, u.id, 'plan', 'Plan', floor(random() * 5) + 1, 10, 'default',
        case i % 3 when 0 then 'active' when 1 then 'past_due' else 'ended' end, ${someTime}
      from ${each}, lateral (select max(id) as id from user_profile where i > 0) u`,
    `insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account, status, created_at)
      select ${named("TOPUP")}, u.id, 'plan', 'Plan', floor(random() * 5) + 1, 10, 100, 'default', 'removed', ${someTime}
      from ${each}, lateral (select max(id) as id from user_profile where i > 0) u`,
    `insert into referral (inviter_id, invited_id, inviter_quota, invited_quota, wait_days, created_at)
      select (select min(id) from user_profile), p.id, 10, 0, 14, ${someTime} from user_profile p
      where p.id > (select min(id) from user_profile) and not exists (select 1 from referral r where r.invited_id = p.id)`,
    `insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, expires_at, created_at, status)
      select ${named("ORDER")}, 'plan', 'Plan', 'monthly', 10, floor(random() * 5) + 1, u.id, now(), ${someTime}, 'settled'
      from ${each}, lateral (select max(id) as id from user_profile where i > 0) u`,
    `insert into invoice (number, prefix, year, sequence, kind, order_id, currency, net_usd, tax_usd, gross_usd, tax_rate, locale, facts, issued_at)
      select 'L-' || id, 'L', 2026, id, 'invoice', id, 'USD', amount_usd, 0, amount_usd, 0, 'en',
        '{"buyer": {"name": "Buyer", "country": "DE", "taxId": "", "email": "b@example.org"}, "original": null}', ${someTime}
      from sales_order o where not exists (select 1 from invoice y where y.order_id = o.id)`,
    `insert into payment (order_id, gateway, account, transaction_id, amount_usd, currency, created_at)
      select id, 'cardpay', 'default', 'tx-' || id, amount_usd, 'USD', ${someTime} from sales_order o
      where not exists (select 1 from payment y where y.order_id = o.id)`,
    `insert into gateway_event (gateway, account, event_id, kind, body_hash, result, received_at)
      select 'cardpay', 'default', ${named("event")}, 'payment', sha256('event'), 'unconfirmed', ${someTime} from ${each}`,
    `insert into refund (refund_no, order_id, amount_usd, quota, status, reason, created_at)
      select ${named("REFUND")}, o.id, 1, 1, 'done', 'a reason', ${someTime}
      from ${each}, lateral (select max(id) as id from sales_order where i > 0) o`,
    `insert into ledger_account (code, gateway_user_id) select 'user:' || g.id, g.id from gateway_user g
      where not exists (select 1 from ledger_account a where a.gateway_user_id = g.id)`,
    `with posting as (
        insert into ledger_posting (change_type, reference) select 'test', ${named("test")} from ${each} returning id
      )
      insert into ledger_entry (posting_id, account_id, amount, balance_after, created_at)
      select p.id, a.id, s.amount, s.amount, ${someTime} from posting p, (select max(id) as id from ledger_account) a,
        (values (1), (-1)) s (amount)`,
    `insert into mail_log (dedupe_key, template, locale, to_address, source, created_at)
      select ${named("mail")}, 'email_verify', 'en', 'someone@example.org', 'test', ${someTime} from ${each}`,
    `insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id, before, after)
      select ${someTime}, 'admin', 'somebody', 'quota.adjust', 'gateway_user', g.id::text, '{"remaining":"1"}', '{"remaining":"3","amount":"2"}'
      from ${each}, lateral (select max(id) as id from gateway_user where i > 0) g`,
    `insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max, created_at)
      select ${named("model")}, 'Model', 'test', 1000, 100, ${someTime} from ${each}`,
    `insert into user_group (name, rank) select ${named("group")}, i % 3 from ${each}`,
    `insert into channel (name, upstream, created_at)
      select ${named("channel")}, '${JSON.stringify(openaiUpstream("http://127.0.0.1:9/v1"))}', ${someTime} from ${each}`,
    `insert into ability (group_name, model, channel_id, priority)
      select 'default', 'model-' || (c.id % 5), c.id, c.id % 3 from channel c where c.name like 'channel-${name}-%'`,
    `insert into usage_log (day, request_id, gateway_user_id, api_key_id, user_budget_id, group_name, path, model, outcome,
        http_status, is_stream, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
        images, audio_ms, usage_source, rate_multiplier, quota, quota_held, attempts, duration_ms, started_at)
      select (t.at at time zone 'UTC')::date,
        (lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
          || '8' || substr(md5(random()::text), 1, 15))::uuid,
        g.id, 1, 1, 'default', '/v1/chat/completions', 'gpt-4o-mini', case when i % 3 = 0 then 'failed' else 'completed' end,
        200, false, 10, 5, 0, 0, 0, 0, 0, 'provider', 1, 7, 9, '[]', 100, t.at
      from ${each}, lateral (select ${someTime} as at, max(id) as id from gateway_user where i > 0) t,
        lateral (select t.id) g`,
  ];
  for (const statement of statements) {
    await db.query(statement, []);
  }
}
