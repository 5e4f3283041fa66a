import type { AgedSizes } from "./sizes.ts";
import { spread, upTo } from "./spread.ts";

/** What operators have set up and what was recorded about it, each as a named statement. */
export function operationsSteps(sizes: AgedSizes): readonly (readonly [string, string])[] {
  return [
    ...catalogSteps,
    ...nodeSteps,
    ...eventSteps(sizes),
    ...shopSteps(sizes.orders),
    ...faceSteps,
    [
      "incidents",
      `insert into incident (title, impact, models, started_at, resolved_at)
        select 'Incident ' || i, 'minor', '{model-3}', ${spread("i", 2_000)}, case when i < 1990 then ${spread("i", 2_000)} + interval '1 hour' end
        from ${upTo(2_000)}`,
    ],
    [
      "what was said about them",
      `insert into incident_update (incident_id, state, text, posted_at, posted_by, posted_by_name)
        select id, (array['investigating', 'identified', 'resolved'])[n], 'Text', started_at + interval '10 minutes' * n, 1, 'admin-1'
        from incident, generate_series(1, 3) n where n < 3 or resolved_at is not null`,
    ],
    ...percentileSteps(sizes),
    [
      "views of lists",
      `insert into saved_view (admin_id, list, name, query, hidden_columns)
        select a.id, l.name, 'View ' || n, '{"sort": "-created_at"}', '[]'
        from shared_admin_credentials a, (values ('users'), ('orders'), ('usage'), ('keys')) l (name), generate_series(1, 10) n`,
    ],
    [
      "readings of payloads",
      `insert into payload_access (number, at, admin_id, admin_name, day, request_id, gateway_user_id, reason, ip, asked_by, previous_hash, hash)
        select i, ${spread("i", 5_000)}, i % 20 + 1, 'admin', current_date, md5(i::text)::uuid, 1, 'bench', '192.0.2.1', 'bench', '\\x00', '\\x00'
        from ${upTo(5_000)}`,
    ],
    [
      "approvals",
      `insert into approval (kind, input, reason, effects, requested_by, requested_by_name, request_id, ip, idempotency_key, status, expires_at,
          created_at)
        select 'adjust', '{}', 'bench', '{}', 1, 'admin-1', 'request', '192.0.2.1', 'bench-' || i, case when i > 4990 then 'pending' else 'expired' end,
          now() + interval '1 day', ${spread("i", 5_000)}
        from ${upTo(5_000)}`,
    ],
  ];
}

/** Where sums are of a long time, a model at a channel has about as many buckets as different calls fill. */
function percentileSteps({ days, spans }: AgedSizes): readonly (readonly [string, string])[] {
  const isLong = spans > 1;
  const [buckets, channels] = isLong ? [24, 6] : [3, 3];
  const [keys, models] = isLong ? ["id <= 90 or gateway_user_id = 1", 4] : ["true", 10];
  const series = (count: string): string => `generate_series(first, first + ${count} - 1) b`;
  return [
    [
      "percentiles",
      `insert into usage_performance (grain, starts_at, model, channel_id, kind, bucket, calls, output_tokens, output_ms)
        select grain, date_trunc(grain, now(), 'UTC') - n * ('1 ' || grain)::interval, 'model-' || m, c, kind, b, 10, 1000, 1000
        from (values ('hour', ${isLong ? 192 : days * 24}), ('day', ${Math.min(days * Math.max(spans, 3), 400)})) g (grain, count),
          generate_series(0, g.count) n, generate_series(1, 20) m, generate_series(1, ${channels}) c,
          (values ('first_byte', 30, ${buckets}), ('total', 40, ${buckets}), ('failed', 0, ${isLong ? 1 : buckets})) k (kind, first, buckets),
          ${series("buckets")}`,
    ],
    [
      "percentiles of customers",
      `insert into usage_key_performance (api_key_id, starts_at, model, kind, bucket, calls, output_tokens, output_ms)
        select k.id, date_trunc('day', now(), 'UTC') - n * interval '1 day', 'model-' || m, kind, b, 10, 1000, 1000
        from (select id from api_key where ${keys} order by id limit 100) k, generate_series(0, least(${days * spans}, 99)) n,
          generate_series(1, ${models}) m, (values ('first_byte', 30), ('total', 40)) p (kind, first), ${series(String(buckets))}`,
    ],
  ];
}

const catalogSteps: readonly (readonly [string, string])[] = [
  [
    "credentials of channels",
    "insert into channel_credential (channel_id, label, secret_sealed, is_exit_node) select id, 'first', '\\x00', is_exit_node from channel",
  ],
  [
    "probes of channels",
    `insert into channel_probe (channel_id, model, probed_at, is_ok, latency_ms, failed_in_row)
      select id, 'model-1', now(), true, 300, 0 from channel`,
  ],
  [
    "prices",
    `insert into model_price (model, version, valid_from, input_usd_per_m, output_usd_per_m)
      select name, version, now() - interval '700 days' + version * interval '30 days', 1, 2 from model, generate_series(1, 20) version`,
  ],
  [
    "costs of channels",
    `insert into channel_cost (channel_id, model, valid_from, input_usd_per_m, output_usd_per_m)
      select distinct channel_id, model, current_date - 90 * n, 1, 2 from ability, generate_series(1, 3) n`,
  ],
  [
    "models in place of others",
    "insert into model_fallback (model, fallback_models) select name, '{model-2}' from model where name <> 'model-2'",
  ],
  [
    "the model map",
    `insert into messages_model (name, display_name, upstream_model, flags, released_at)
      select 'mapped-' || i, 'Mapped', 'model-' || i, '{}', now() from ${upTo(50)}`,
  ],
  [
    "profiles of credentials",
    `insert into upstream_auth_profile (name, provider, auth_type, base_url, model_scope, settings, credential_fields)
      select 'profile-' || i, 'openai', 'api_key', 'https://provider.example.org', '{}', '{}', '{}' from ${upTo(50)}`,
  ],
];

const nodeSteps: readonly (readonly [string, string])[] = [
  [
    "exit nodes",
    `insert into exit_node (node_code, name, host, ip, relay_key_secret, archived_at, status)
      select 'node-' || i, 'Node ' || i, 'node' || i || '.example.org', '192.0.2.1', 'exit_node.relay_key_' || i,
        case when i % 5 = 0 then now() end, case when i % 5 = 0 then 'disabled' else 'active' end
      from ${upTo(100)}`,
  ],
  [
    "their accounts",
    `insert into exit_provider_account (account_code, exit_node_id, provider, auth_type, status)
      select 'account-' || id || '-' || n, id, 'openai', 'api_key', 'active' from exit_node, generate_series(1, 3) n`,
  ],
  [
    "their routes",
    `insert into exit_node_route (route_code, gateway_user_id, provider, model_pattern, exit_node_id)
      select 'route-' || id || '-' || n, n, 'openai', 'model-*', id from exit_node, generate_series(1, 5) n`,
  ],
  [
    "their traffic",
    "insert into exit_node_traffic (exit_node_id, replica_id, calls) select id, 'replica-' || n, 1000 from exit_node, generate_series(1, 4) n",
  ],
];

function eventSteps({ users, orders }: AgedSizes): readonly (readonly [string, string])[] {
  return [
    [
      "targets of the operator",
      `insert into event_target (kind, name, place, events, seal_name, access_sealed)
        select 'webhook', 'Target', 'https://hooks.example.org', '{key.created}', 'operator-' || i, '\\x00' from ${upTo(20)}`,
    ],
    [
      "webhooks of customers",
      `insert into event_target (gateway_user_id, kind, name, place, events, seal_name, access_sealed)
        select gateway_user_id, 'webhook', 'Webhook', 'https://hooks.example.org', '{key.created}', 'customer-' || gateway_user_id || '-' || n, '\\x00'
        from account_owner, generate_series(1, 2) n where gateway_user_id % 10 = 1`,
    ],
    [
      "events",
      `insert into event (type, gateway_user_id, cause, data, occurred_at)
        select 'key.created', 1, 'key:' || i, '{"key_id": "1"}', now() - interval '30 days' * (1 - i::float8 / ${orders}) from ${upTo(orders)}`,
    ],
    [
      "deliveries of events",
      `insert into event_delivery (target_id, event_id, status, attempts, created_at)
        select t.id, e.id, case when e.id % 100 = 0 then 'failed' else 'delivered' end, 1, e.occurred_at
        from event e, (select min(id) as id from event_target where gateway_user_id is null or gateway_user_id in (1, ${users} + 1) group by gateway_user_id) t`,
    ],
    [
      "attempts to deliver",
      `insert into event_attempt (delivery_id, at, http_status, duration_ms, response_start)
        select id, created_at, case status when 'failed' then 500 else 200 end, 80, '' from event_delivery`,
    ],
  ];
}

function shopSteps(orders: number): readonly (readonly [string, string])[] {
  return [
    [
      "plans",
      `insert into plan (plan_code, name, kind, price_usd, quota, features, status, archived_at)
        select 'plan-' || i, 'Plan ' || i, 'wallet_balance', i, 10, '[]', case when i % 2 = 0 then 'hidden' else 'active' end,
          case when i % 4 = 0 then now() end
        from ${upTo(60)}`,
    ],
    [
      "codes",
      `insert into redemption_code (batch_id, digest)
        select id, sha256((id || ' ' || n)::bytea) from code_batch, generate_series(1, 100) n`,
    ],
    [
      "uses of codes",
      `insert into code_redemption (code_id, batch_id, user_id, order_id, is_once_per_user)
        select c.id, c.batch_id, o.user_id, o.id, false from redemption_code c join sales_order o on o.id = c.id where c.id % 2 = 0`,
    ],
    [
      "payments that wait for a person",
      `insert into review_payment (order_id, gateway, account, transaction_id, amount_usd, currency, reason, created_at)
        select id, 'cardpay', 'default', 'review' || id, amount_usd, 'USD', 'amount', created_at from sales_order where status = 'review'`,
    ],
    [
      "changes of months",
      `insert into subscription_change (reference, subscription_id, quota, months) select 'bench:' || id, id, 10, 1 from subscription`,
    ],
    [
      "months that were renewed",
      `insert into renewal_period (renewal_id, account, invoice_id, order_id, period_start, period_end)
        select r.id, 'default', 'in_' || o.id, o.id, o.created_at, o.created_at + interval '1 month'
        from renewal r join sales_order o on o.id = r.id`,
    ],
    [
      "terms of invoices",
      `insert into invoice_terms (is_on, invoice_prefix, credit_prefix, seller_name, seller_address, seller_country, tax_name, tax_mode, tax_rate,
          tax_rules, created_by)
        values (true, 'INV', 'CN', 'Seller', '1 Street', 'DE', 'VAT', 'inclusive', 19, '[]', 'bench')`,
    ],
    [
      "leads",
      `insert into enterprise_lead (company, contact, email, volume, message, campaign, status, created_at)
        select 'Company ' || i, 'Contact', 'lead' || i || '@example.org', 'small', 'Text', 'campaign-' || i % 5,
          (array['pending', 'contacted', 'won', 'lost', 'spam'])[1 + i % 5], ${spread("i", orders / 50)}
        from ${upTo(Math.ceil(orders / 50))}`,
    ],
    [
      "events of campaigns",
      `insert into campaign_event (kind, campaign, utm_source, visitor_id, path, created_at)
        select case when i % 4 = 0 then 'cta_click' else 'page_view' end, 'campaign-' || i % 5, 'source', 'visitor-' || i % 1000, '/',
          now() - interval '90 days' * (1 - i::float8 / ${orders})
        from ${upTo(orders)}`,
    ],
  ];
}

const faceSteps: readonly (readonly [string, string])[] = [
  [
    "legal pages",
    `insert into legal_text (page, locale, markdown, effective_on, version, updated_by, updated_by_name, edition)
      select page, 'en', repeat('Text ', 1000), current_date, version, 1, 'admin-1', version / 50
      from (values ('terms'), ('privacy')) p (page), generate_series(1, 200) version`,
  ],
  [
    "consents",
    `insert into legal_consent (user_id, page, edition, locale, version, way, ip, accepted_at)
      select id, page, edition, 'en', edition * 50, 'login', '203.0.113.1', now() - interval '300 days' / edition
      from user_profile, (values ('terms'), ('privacy')) p (page), generate_series(1, 4) edition`,
  ],
  [
    "texts of the operator",
    `insert into brand_text (locale, headline, sub_line, links, updated_by, updated_by_name)
      values ('en', 'Headline', 'Line', '[]', 1, 'admin-1')`,
  ],
  [
    "the operator's icon",
    `insert into brand_image (kind, hash, content_type, width, height, bytes, updated_by, updated_by_name)
      values ('icon', 'hash', 'image/png', 32, 32, '\\x00', 1, 'admin-1')`,
  ],
  [
    "templates of mails",
    `insert into mail_template (name, locale, subject, html, text) values ('payment_success', 'en', 'Subject', '<p>Text</p>', 'Text')`,
  ],
  ["settings", `insert into setting (name, value, updated_by_name) values ('referrals.enabled', 'true', 'admin-1')`],
  ["secrets", `insert into secret (name, sealed) select 'bench.secret_' || i, '\\x00' from ${upTo(20)}`],
];
