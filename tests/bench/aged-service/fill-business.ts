import { openaiUpstream } from "@sluice/contracts/upstreams";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import { keysOfFirst } from "./fill-calls.ts";
import { operationsSteps } from "./fill-operations.ts";
import { peopleSteps } from "./fill-people.ts";
import { salesSteps } from "./fill-sales.ts";
import type { AgedSizes } from "./sizes.ts";
import { spread, upTo } from "./spread.ts";

const rowsAtOnce = 100_000;

/** The data besides the calls, each as a named statement. */
export function businessSteps(sizes: AgedSizes): readonly (readonly [string, string])[] {
  const { users, orders } = sizes;
  const organisations = Math.ceil(users / 10);
  return [
    ["gateway users", `insert into gateway_user (created_at) select ${spread("i", users)} from ${upTo(users)}`],
    ["budgets", "insert into budget (gateway_user_id, granted) select id, 1000 from gateway_user"],
    [
      "users",
      `insert into user_profile (gateway_user_id, email, status, created_at)
        select id, 'user' || id || '@example.org', case when id % 50 = 0 then 'suspended' else 'active' end, created_at
        from gateway_user`,
    ],
    [
      "keys",
      `insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, created_at)
        select id, sha256(id::text::bytea), 'sk-' || substr(md5(id::text), 1, 4), 'abcd', 'key', created_at from gateway_user`,
    ],
    ...(sizes.spans === 1
      ? []
      : [
          [
            "further keys of the first user",
            `insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, created_at)
              select 1, sha256(('further ' || i)::bytea), 'sk-more', 'abcd', 'key ' || i, now() from ${upTo(keysOfFirst)}`,
          ] as const,
        ]),
    [
      "accounts of organisations",
      `insert into gateway_user (created_at) select ${spread("i", organisations)} from ${upTo(organisations)}`,
    ],
    [
      "organisations",
      `insert into organisation (gateway_user_id, name, status, created_at)
        select id, 'Team ' || id, case when id % 50 = 0 then 'suspended' else 'active' end, created_at
        from gateway_user where id > ${users}`,
    ],
    ["their budgets", "insert into budget (gateway_user_id, granted) select gateway_user_id, 1000 from organisation"],
    [
      "members",
      `insert into organisation_member (organisation_id, user_id, role)
        select 1, 1, 'owner' union all
        select o.id, (o.id * 7 + i * 13) % ${users} + 1, case i when 1 then 'owner' else 'member' end
        from organisation o, generate_series(1, 4) i on conflict do nothing`,
    ],
    [
      "channels",
      `insert into channel (name, probe_minutes, upstream)
        select 'channel-' || i, 60, '${JSON.stringify(openaiUpstream("http://127.0.0.1:9/v1"))}' from ${upTo(40)}`,
    ],
    [
      "models",
      `insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max)
        select 'model-' || i, 'Model', 'bench', 1000, 100 from ${upTo(200)}`,
    ],
    [
      "abilities",
      `insert into ability (group_name, model, channel_id)
        select 'default', m.name, c.id from model m, channel c where hashtext(m.name || c.name) % 4 = 0`,
    ],
    [
      "orders",
      `insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, organisation_id, expires_at, created_at,
          status, pay_channel, review_reason, settled_at, credited_at)
        select 'S' || i, 'credit', 'Credit', 'wallet_balance', 10, i % 200 + 1, i % ${users} + 1, case when i % 20 = 1 then i % ${organisations} + 1 end, now(),
          ${spread("i", orders)}, case when i % 1000 = 0 then 'review' when i % 7 = 0 then 'expired' else 'settled' end, 'cardpay',
          case when i % 1000 = 0 then 'amount' end, case when i % 1000 > 0 and i % 7 <> 0 then ${spread("i", orders)} end,
          case when i % 1000 > 1 and i % 7 <> 0 then ${spread("i", orders)} end
        from ${upTo(orders)}`,
    ],
    [
      "payments",
      `insert into payment (order_id, gateway, account, transaction_id, amount_usd, currency, created_at)
        select id, 'cardpay', 'default', 'tx' || id, amount_usd, 'USD', created_at from sales_order where status = 'settled'`,
    ],
    [
      "refunds",
      `insert into refund (refund_no, order_id, amount_usd, quota, status, reason, created_at, updated_at)
        select 'R' || id, id, 1, 1, 'done', 'bench', created_at, created_at from sales_order where id % 20 = 0`,
    ],
    ["accounts", "insert into ledger_account (code, gateway_user_id) select 'user:' || id, id from gateway_user"],
    ["the account of the house", "insert into ledger_account (code) values ('house:bench')"],
    [
      "mails",
      `insert into mail_log (dedupe_key, template, locale, to_address, source, user_id, status, created_at)
        select i::text, 'payment_success', 'en', 'user' || i::bigint * 7919 % ${orders} || '@example.org', 'bench', i % ${users} + 1,
          case when i % 500 = 0 then 'dead' else 'sent' end, ${spread("i", orders)}
        from ${upTo(orders)}`,
    ],
    [
      "entries of the audit log",
      `insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id)
        select ${spread("i", orders * 4)}, 'admin', 'admin-' || i % 7, case when i % 900 = 0 then 'plan.save' else 'user.save' end,
          'user', (i % ${users} + 1)::text
        from ${upTo(orders * 4)}`,
    ],
    [
      "adjustments",
      `insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id, after)
        select ${spread("i", orders / 10)}, 'admin', 'admin-' || i % 7, 'quota.adjust', 'gateway_user', (i % ${users} + 1)::text,
          jsonb_build_object('amount', '10', 'reference', 'adjustment ' || i)
        from ${upTo(Math.ceil(orders / 10))}`,
    ],
    ...salesSteps(sizes),
    ...peopleSteps(sizes),
    ...operationsSteps(sizes),
  ];
}

export async function fillLedger(
  db: Queryable,
  { orders, users }: AgedSizes,
  tell: (line: string) => void,
): Promise<void> {
  const postings = orders * 2;
  for (let from = 1; from <= postings; from += rowsAtOnce) {
    tell(`postings of the ledger: ${from - 1} of ${postings}`);
    const to = Math.min(from + rowsAtOnce - 1, postings);
    await db.query(
      `with posting as (
          insert into ledger_posting (change_type, reference)
          select case when i % 300 = 0 then 'refund' else 'usage_quota' end, 'bench:' || i from generate_series(${from}, ${to}) i
          returning id
        )
        insert into ledger_entry (posting_id, account_id, amount, balance_after, created_at)
        select p.id, case s.amount when 1 then p.id % ${users} + 1 else ${users} + 1 end, s.amount, 0, ${spread("p.id", postings)}
        from posting p, (values (1), (-1)) s (amount)`,
      [],
    );
  }
}
