import type { ApiKeyId, BudgetId, ChannelId, GatewayUserId, ReplicaId, RequestId, UserId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { commitUsage, toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import { Registry } from "prom-client";
import { setCache } from "../support/calls/cache-scene.ts";
import type { SluiceRig } from "../support/service/sluice.ts";
import { silentLog, traceRowOf } from "../support/trace/trace-fixtures.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { encoded, usageRow } from "../support/usage/usage-rows.ts";
import { addNewcomer } from "../support/web/newcomer.ts";
import { fillOrganisation } from "./full-house-organisation.ts";
import { fillSales, type Owner } from "./full-house-sales.ts";

/** The call whose receipt and trace are photographed. */
const shownAtMs = Date.now();
export const shownRequestId = Bun.randomUUIDv7("hex", shownAtMs) as RequestId;

const replica = "photographs" as ReplicaId;
const daysBack = 40;
const dayMs = 86_400_000;
const callsCount = 700;
const traceDays = 6;

type ShownModel = {
  readonly name: string;
  readonly title: string;
  readonly input_usd_per_m: string;
  readonly output_usd_per_m: string;
};

const models: readonly ShownModel[] = [
  { name: "gpt-4o-mini", title: "GPT-4o mini", input_usd_per_m: "0.20", output_usd_per_m: "0.60" },
  { name: "sonnet-large", title: "Sonnet Large", input_usd_per_m: "3.00", output_usd_per_m: "15.00" },
  {
    name: "mistral-large-instruct-2411-extended-context",
    title: "Mistral Large Instruct",
    input_usd_per_m: "2.00",
    output_usd_per_m: "6.00",
  },
];

/**
 * Fills the account of the user, and what admins see, with the traces of months of use: with long names, failures and
 * refunds.
 */
export async function fillHouse(rig: SluiceRig, email: string): Promise<void> {
  const { db } = rig;
  const [row] = await db.sql<{ id: UserId; gateway_user_id: GatewayUserId; budget_id: BudgetId }>`
    select p.id, p.gateway_user_id, b.id as budget_id from user_profile p
    join budget b on b.gateway_user_id = p.gateway_user_id where p.email = ${email}`;
  if (row === undefined) {
    throw new Error(`there is no user ${email}`);
  }
  const owner = { userId: row.id, gatewayUserId: row.gateway_user_id, budgetId: row.budget_id };
  await db.sql`update gateway_user set rate_multiplier = 1.2500 where id = ${owner.gatewayUserId}::bigint`;
  await setCache(db, { responses: true });
  await fillSales(db, owner);
  await fillConsents(db);
  await fillCatalog(rig);
  await fillGroups(db, owner);
  await fillCalls(db, owner);
  await fillReading(db, owner);
  await fillEarlier(db, owner);
  await fillLists(db, owner.gatewayUserId);
  await fillOrganisation(db);
}

/** Terms that changed once since; the newcomer has accepted the first ones, and everybody else both. */
async function fillConsents(db: Database): Promise<void> {
  const terms = `# What you get\n\nAccess to the models on the list, by **API keys** that you make yourself.\n\n${paragraphs(8)}`;
  await db.sql`
    insert into legal_text (page, locale, markdown, effective_on, version, updated_by, updated_by_name, edition, changes)
    values ('terms', 'en', ${terms}, '2026-01-01', 1, 1, 'somebody', 1, ''),
      ('terms', 'en', ${`${terms}\n\n# Refunds\n\nWithin 14 days.`}, '2026-12-01', 2, 1, 'somebody', 2,
        ${"Refunds are made within 14 days instead of 30.\nNothing else is different."}),
      ('privacy', 'en', ${paragraphs(3)}, '2026-12-01', 1, 1, 'somebody', 1, '')`;
  const newcomer = await addNewcomer(db);
  await db.sql`
    insert into legal_consent (user_id, page, edition, locale, version, way, ip, accepted_at)
    select u.id, e.page, e.edition, 'en', e.version, case when e.edition = 1 then 'registration' else 'login' end,
      '203.0.113.7', now() - interval '40 days' / e.edition
    from user_profile u, (values ('terms', 1, 1), ('terms', 2, 2), ('privacy', 1, 1)) e (page, edition, version)
    where u.id <> ${newcomer.userId}::bigint or (e.page = 'terms' and e.edition = 1)`;
}

const paragraphs = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${index + 1}. You pay for what was delivered, at the prices on the list.`,
  ).join("\n\n");

/** The account came from another gateway, with its calls by day and one by one. */
async function fillEarlier(db: Database, { gatewayUserId }: Owner): Promise<void> {
  await db.sql`insert into import_source (instance, program) values ('old-shop', 'new-api')`;
  await db.sql`
    insert into imported_usage (gateway_user_id, instance, day, model, calls, input_tokens, output_tokens, quota)
    select ${gatewayUserId}::bigint, 'old-shop', '2026-01-31'::date + n, 'gpt-4o', 1234, 500000, 70000, 1250000
    from generate_series(0, 29) n`;
  await db.sql`
    insert into imported_call (gateway_user_id, instance, source_id, made_at, model, key_name, input_tokens, output_tokens, quota)
    values (${gatewayUserId}::bigint, 'old-shop', '1', '2026-01-31', 'gpt-4o', 'main', 500, 70, 1250)`;
}

/** The user may read the contents of calls, and did so once in the console and once by a program. */
async function fillReading(db: Database, { userId, gatewayUserId }: Owner): Promise<void> {
  await db.sql`
    insert into setting (name, value, updated_by_name) values ('trace.users_read_payloads', 'true'::jsonb, 'photographs')`;
  await db.sql`
    insert into own_payload_reading (gateway_user_id, since, by_members)
    values (${gatewayUserId}::bigint, now() - interval '60 days', false)`;
  await db.sql`
    insert into own_payload_access (user_id, token_name, gateway_user_id, day, request_id, ip, asked_by)
    select ${userId}::bigint, nullif(name, ''), ${gatewayUserId}::bigint, current_date, ${shownRequestId}::uuid, '203.0.113.7', 'r'
    from unnest(array['', 'nightly quality check']) name`;
}

async function fillCatalog(rig: SluiceRig): Promise<void> {
  for (const { name, title, input_usd_per_m, output_usd_per_m } of models.slice(1)) {
    await rig.addTokenPriceModel(name, { input_usd_per_m, output_usd_per_m });
    await rig.db.sql`update model set display_name = ${title} where name = ${name}`;
  }
  await rig.addTokenPriceModel("pictures-1", { input_usd_per_m: "0", output_usd_per_m: "0", image_usd: "0.04" });
  await rig.db.sql`update model set display_name = 'Pictures 1', kind = 'image' where name = 'pictures-1'`;
  await rig.addChannel("west-europe-2", "https://provider.example/v1", ["gpt-4o-mini", "sonnet-large"]);
  await rig.db.sql`
    update channel set upstream = upstream || '{"preset": "openai"}', probe_minutes = 5 where name = 'west-europe-2'`;
  await rig.db.sql`
    insert into channel_probe (channel_id, model, probed_at, is_ok, http_status, latency_ms, error, failed_in_row, rested_at)
    select id, 'gpt-4o-mini', now() - interval '2 minutes', name = 'first', case name when 'first' then 200 else 503 end,
      412, case name when 'first' then null else 'The server is overloaded. Try again later.' end,
      case name when 'first' then 0 else 3 end, case name when 'first' then null else now() - interval '1 minute' end
    from channel where name in ('first', 'west-europe-2')`;
}

/** Two groups besides the account's own: one that the user was put in, and one for everyone. */
async function fillGroups(db: Database, { gatewayUserId }: Owner): Promise<void> {
  await db.sql`
    insert into user_group (name, description, multiplier, visibility, rank) values
      ('pro', 'Cheaper calls for regular customers.', 0.8, 'assigned', 10),
      ('batch', 'Half the price, at times when the providers are idle.', 0.5, 'public', 0)`;
  await db.sql`
    insert into ability (group_name, model, channel_id)
    select g.name, a.model, a.channel_id from ability a cross join user_group g
    where a.group_name = 'default' and g.name in ('pro', 'batch')`;
  await db.sql`
    insert into user_group_member (gateway_user_id, group_name, ends_at)
    values (${gatewayUserId}::bigint, 'pro', now() + interval '20 days')`;
}

async function fillCalls(db: Database, owner: Owner): Promise<void> {
  await db.sql`insert into replica (id) values (${replica})`;
  for (const name of ["laptop", "the build server of the team in Rotterdam", "agent"]) {
    await db.withTransaction((tx) => createApiKey(tx, owner.gatewayUserId, name));
  }
  const keys = await db.sql<{ id: ApiKeyId }>`
    select id from api_key where gateway_user_id = ${owner.gatewayUserId}::bigint order by id`;
  const channels = await db.sql<{ id: ChannelId; name: string }>`select id, name from channel order by id`;
  const now = Date.now();
  const days = Array.from({ length: daysBack + 1 }, (_, index) => utcDay(now - index * dayMs));
  await createMissingPartitions(db, "usage_log", days);
  await createMissingPartitions(db, "trace_record", days.slice(0, traceDays));
  const random = seededRandom(5);
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = Array.from({ length: callsCount }, (_, index): UsageRow => {
    const model = models[below(2) + (index % 7 === 0 ? 1 : 0)] ?? models[0];
    const channel = channels[below(channels.length)];
    const age = Math.floor(random() ** 2 * daysBack * dayMs);
    const call = {
      keyId: keys[below(keys.length)]?.id ?? (0n as ApiKeyId),
      startedAtMs: index === 0 ? shownAtMs : now - 60_000 - age,
    };
    return callOf(owner, { ...call, model, channel, index, random });
  });
  for (let at = 0; at < rows.length; at += 200) {
    await db.withTransaction((tx) => commitUsage(tx, replica, toUsageOrder(encoded(...rows.slice(at, at + 200)))));
  }
  const recent = rows.filter(({ day }) => days.indexOf(day) < traceDays);
  await commitTraces(
    db,
    recent.map((row) => toSpooledTrace(tracedAs(row, owner))),
  );
  await db.sql`
    insert into api_key_use (api_key_id, last_used_at) select id, now() - interval '4 minutes' * id from api_key
    on conflict do nothing`;
  await db.sql`update api_key set first_used_at = created_at where gateway_user_id = ${owner.gatewayUserId}::bigint`;
  await waitUntilSettleable(db);
  const settlement = new UsageSettlement({ db, clock: systemClock, log: silentLog, registry: new Registry() });
  await settlement.run({ isReconciled: true });
  await waitUntilSettleable(db);
  await settlement.run();
  await rollUsageUp(db, systemClock);
}

type ShownCall = {
  readonly keyId: ApiKeyId;
  readonly startedAtMs: number;
  readonly model: ShownModel | undefined;
  readonly channel: { readonly id: ChannelId; readonly name: string } | undefined;
  readonly index: number;
  readonly random: () => number;
};

function callOf(owner: Owner, { keyId, startedAtMs, model, channel, index, random }: ShownCall): UsageRow {
  const inputTokens = BigInt(500 + Math.floor(random() * 40_000));
  const outputTokens = BigInt(50 + Math.floor(random() * 4_000));
  const isFailed = index % 17 === 5;
  const usdPerM =
    Number(inputTokens) * Number(model?.input_usd_per_m) + Number(outputTokens) * Number(model?.output_usd_per_m);
  const isHit = !isFailed && index % 11 === 3;
  const quota = isFailed ? 0n : BigInt(Math.ceil(usdPerM / (isHit ? 20 : 2)));
  const durationMs = 400 + Math.floor(random() * 9_000);
  const attempt = { channelId: String(channel?.id), channel: channel?.name ?? "", startedAtMs: 2 };
  const retried = { ...attempt, durationMs: 310, status: 529, result: "status_529" };
  const last = isFailed
    ? { ...attempt, durationMs: durationMs - 2, status: 500, result: "status_500" }
    : {
        ...attempt,
        startedAtMs: index % 5 === 0 ? 340 : 2,
        durationMs: durationMs - 350,
        status: 200,
        result: "answered",
      };
  const customer = { gatewayUserId: owner.gatewayUserId, apiKeyId: keyId, userBudgetId: owner.budgetId };
  return usageRow(
    { ...customer, keyBudgetId: 0n as BudgetId },
    {
      requestId: index === 0 ? shownRequestId : (Bun.randomUUIDv7("hex", startedAtMs) as RequestId),
      keyBudgetId: null,
      startedAtMs,
      model: model?.name ?? null,
      endUser: index % 2 === 0 ? `customer-${1_000 + (index % 7)}` : null,
      tags:
        index % 3 === 0
          ? [`team=${["search", "support", "ads"][index % 9 === 0 ? 0 : index % 2 === 0 ? 1 : 2]}`, "feature=chat"]
          : [],
      channelId: isHit ? null : (channel?.id ?? null),
      outcome: isFailed ? "failed" : index % 23 === 7 ? "aborted" : "completed",
      httpStatus: isFailed ? 502 : 200,
      errorCode: isFailed ? "upstream_error" : null,
      units: {
        ...noUnits,
        inputTokens,
        outputTokens,
      },
      priceVersion: 1,
      rateMultiplier: "1.2500" as Decimal,
      quota: quota as Quota,
      quotaHeld: (quota * 2n) as Quota,
      attempts: isHit ? [] : index % 5 === 0 ? [retried, last] : [last],
      cacheBasisPoints: isHit ? 1_000 : null,
      firstByteMs: isFailed ? null : Math.floor(durationMs / 3),
      durationMs,
    },
  );
}

function tracedAs(row: UsageRow, { userId }: Owner): ReturnType<typeof traceRowOf> {
  const { requestId, day, gatewayUserId, apiKeyId, model, errorCode, httpStatus, durationMs, startedAtMs } = row;
  const ids = { requestId, day, userId, gatewayUserId, apiKeyId };
  return traceRowOf({
    ...ids,
    model,
    status: row.outcome,
    errorCode,
    httpStatus,
    isStream: row.isStream,
    inputTokens: row.units.inputTokens,
    outputTokens: row.units.outputTokens,
    firstTokenMs: row.firstByteMs,
    durationMs,
    startedAtMs,
    payload: "none",
    userAgent: "claude-cli/2.1.44 (external, cli)",
  });
}

const longAddress = "maximiliane.von-hohenstein-schwarzenfeld@accounting.subsidiary.example.org";

/** What only admins see, and comes from other programs or from visitors. */
export async function fillLists(db: Database, gatewayUserId: GatewayUserId): Promise<void> {
  const each = "generate_series(1, 30) i";
  const moment = "now() - interval '7 hours' * i";
  const statements = [
    `insert into gateway_user (created_at) select ${moment} from ${each}`,
    `insert into budget (gateway_user_id) select g.id from gateway_user g
      where not exists (select 1 from budget b where b.gateway_user_id = g.id)`,
    `insert into user_profile (gateway_user_id, email, display_name, status, created_at)
      select g.id, case when g.id % 5 = 0 then g.id || '.${longAddress}' else 'user-' || g.id || '@example.org' end,
        'Customer ' || g.id, case when g.id % 4 = 0 then 'email_pending' else 'active' end, g.created_at from gateway_user g
      where not exists (select 1 from user_profile p where p.gateway_user_id = g.id)
        and not exists (select 1 from organisation o where o.gateway_user_id = g.id)`,
    `with account as (insert into gateway_user (created_at) select ${moment} from generate_series(1, 8) i returning id, created_at),
        wallet as (insert into budget (gateway_user_id) select id from account)
      insert into organisation (gateway_user_id, name, status, created_at)
      select id, 'Organisation ' || n, case when n % 3 = 0 then 'suspended' else 'active' end, created_at
      from (select *, row_number() over (order by id) as n from account) a`,
    `insert into organisation_member (organisation_id, user_id, role)
      select o.id, p.id, case when p.n = 1 then 'owner' when p.n = 2 then 'billing' else 'member' end
      from organisation o, (select id, row_number() over (order by id) as n from user_profile where email like 'user-%') p
      where p.n <= o.id % 4 + 1`,
    `insert into organisation_project (organisation_id, name, status)
      select o.id, n, case n when 'Search' then 'active' else 'archived' end
      from organisation o, unnest(array['Search', 'Translation of last year']) n where o.id % 2 = 1`,
    `insert into mail_log (dedupe_key, template, locale, to_address, source, created_at, status, attempts, last_error, sent_at)
      select 'photograph ' || i, (array['email_verify', 'payment_success', 'quota_low', 'password_reset'])[i % 4 + 1], 'en',
        case when i % 3 = 0 then '${longAddress}' else 'user-' || i || '@example.org' end, 'sluice', ${moment},
        case when i % 6 = 0 then 'dead' else 'sent' end, i % 3 + 1,
        case when i % 6 = 0 then '550 5.1.1 the mailbox of the recipient does not exist' end,
        case when i % 6 = 0 then null else ${moment} end from ${each}`,
    `insert into enterprise_lead (company, contact, email, volume, message, campaign, status, created_at)
      select 'Company ' || i, 'Somebody Important', case when i % 3 = 0 then '${longAddress}' else 'lead-' || i || '@example.org' end,
        '40 million tokens a day', 'We would like an offer for our teams in three countries.', 'direct',
        (array['pending', 'contacted', 'won', 'lost', 'spam'])[i % 5 + 1], ${moment} from ${each}`,
    `insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id, before, after, reason, ip)
      select ${moment}, 'admin', 'somebody', (array['quota.adjust', 'plan.save', 'user.save'])[i % 3 + 1], 'gateway_user',
        '${gatewayUserId}', '{"remaining":"1","status":"active"}', '{"remaining":"500000","amount":"499999","status":"suspended"}', 'asked for by mail', '2001:db8:85a3::8a2e:370:7334'
      from ${each}`,
    `insert into management_token (user_id, name, token_hash, hint, scopes, created_at, expires_at, last_used_at, last_used_ip, revoked_at)
      select p.id, (array['nightly report', 'deployment of the storefront in three regions', 'old laptop'])[i],
        sha256(('user ' || i)::bytea), 'a' || i || 'Zq', case when i = 2 then array['usage', 'keys'] else array['usage'] end,
        ${moment}, now() + interval '9 days' * i, case when i < 3 then ${moment} end, case when i < 3 then '2001:db8:85a3::8a2e:370:7334' end,
        case when i = 3 then now() end
      from user_profile p cross join generate_series(1, 3) i where p.gateway_user_id = '${gatewayUserId}'`,
    `insert into management_token (admin_id, name, token_hash, hint, scopes, created_at, expires_at, last_used_at, last_used_ip, revoked_at)
      select a.id, (array['prices of every night', 'on call', 'import'])[i], sha256((a.id || ' admin ' || i)::bytea), 'b' || i || 'Kw',
        (array['{upstreams,sensitive}', '{usage,users}', '{everything}'])[i]::text[], ${moment}, now() + interval '9 days' * i,
        case when i < 3 then ${moment} end, case when i < 3 then '203.0.113.7' end, case when i = 3 then now() end
      from shared_admin_credentials a cross join generate_series(1, 3) i`,
    `insert into sign_in_provider (slug, kind, label, issuer, client_id, secret_sealed, is_enabled, may_register, created_at, updated_at)
      select (array['acme', 'github', 'old'])[i], (array['oidc', 'github', 'oidc'])[i], (array['ACME Corporate Login', 'GitHub', 'Old login'])[i],
        (array['https://login.acme.example', 'https://github.com', 'https://old.acme.example/realms/main'])[i], 'sluice-' || i, ''::bytea,
        i < 3, i = 2, ${moment}, ${moment} from generate_series(1, 3) i`,
    `insert into user_identity (user_id, issuer, subject, email, created_at, last_used_at)
      select p.id, (array['https://login.acme.example', 'https://github.com'])[i], 'subject ' || i, p.email, ${moment}, case when i = 1 then ${moment} end
      from user_profile p cross join generate_series(1, 2) i where p.gateway_user_id = '${gatewayUserId}'`,
    `insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid, created_at, last_used_at)
      select p.id, (array['Laptop', 'Security key on the key ring with the long name'])[i], 'photograph ' || i, '\\x00', 0, '{}', i = 1, i = 1, '',
        ${moment}, case when i = 1 then ${moment} end
      from user_profile p cross join generate_series(1, 2) i where p.gateway_user_id = '${gatewayUserId}'`,
    `insert into event_target (gateway_user_id, kind, name, place, events, seal_name, access_sealed, status, failing_since, last_attempt_at)
      select case when i < 4 then ${gatewayUserId} end, (array['webhook', 'webhook', 'webhook', 'webhook', 'slack', 'telegram'])[i],
        (array['Storefront', 'Accounting', 'Old laptop', 'On call', 'Team', 'Night shift'])[i],
        (array['https://shop.example.org/hooks/sluice', 'https://accounting.example.org/hooks/a-rather-long-path/of-the-receiver', 'https://laptop.example.org/', 'https://ops.example.org/hooks', 'hooks.slack.example/…k9Zq', 'api.telegram.org -1002003'])[i],
        case when i < 4 then array['key.created', 'payment.settled'] else array['channel.down', 'channel.recovered', 'node.lost'] end, 'photograph ' || i, '\\x00',
        (array['active', 'failed', 'off', 'active', 'active', 'failed'])[i], case when i in (2, 6) then ${moment} end, ${moment}
      from generate_series(1, 6) i`,
    `insert into event (type, cause, data) select 'channel.down', 'photograph', '{"channel":"first","failures":3,"http_status":503}'::jsonb from generate_series(1, 4) i`,
    `insert into event_delivery (target_id, event_id, status, count, attempts)
      select t.id, e.id, case when e.id % 3 = 0 then 'failed' else 'delivered' end, 1 + (e.id % 2)::int, 1 from event_target t cross join event e
      where t.status = 'active'`,
    `insert into event_attempt (delivery_id, at, http_status, duration_ms, error, response_start)
      select id, created_at, case when status = 'failed' then 500 else 200 end, 84, case when status = 'failed' then 'status 500' end,
        case when status = 'failed' then '{"message":"the queue of the receiver is full"}' else 'ok' end from event_delivery`,
    `insert into exit_node (node_code, name, region, host, ip, relay_url, relay_key_secret, status, dns_checked_at, dns_matched,
        health_checked_at, health_ok, health_http_status, health_latency_ms, proven_at, is_serving)
      select 'node-' || i, 'Exit node ' || i, 'eu-central-' || i, 'exit-' || i || '.nodes.example.org', '203.0.113.' || i,
        'https://exit-' || i || '.nodes.example.org', 'node/relay-key-' || i, case when i = 3 then 'disabled' else 'testing' end,
        now(), i <> 2, now(), i <> 2, case when i = 2 then 503 else 200 end, 41 * i, now(), i = 1 from generate_series(1, 3) i`,
    `insert into upstream_auth_profile (name, provider, auth_type, base_url, model_scope, settings, credential_fields)
      select 'profile ' || i, 'openai', 'api_key', 'https://provider.example/v1', array['gpt-4o-mini'], '{}', array['api_key']
      from generate_series(1, 3) i`,
    `insert into campaign_event (kind, campaign, utm_source, visitor_id, path, created_at)
      select case when i % 4 = 0 then 'cta_click' else 'page_view' end, (array['direct', 'winter'])[i % 2 + 1], 'mail',
        'visitor-' || i % 9, '/', ${moment} from ${each}`,
  ];
  for (const statement of statements) {
    await db.query(statement, []);
  }
}
