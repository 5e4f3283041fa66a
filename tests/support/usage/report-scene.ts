import { openaiUpstream } from "@sluice/contracts/upstreams";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import { SettlementScene } from "./settlement-scene.ts";

/** Around the nights in which clocks are changed in America, Europe and Australia. */
const firstMs = Date.parse("2026-10-01T00:00:00Z");
const spanMs = 45 * 86_400_000;

/**
 * A database with the sums of random calls, and with random payments and refunds, over six weeks in which clocks are
 * changed. The calls themselves are in the table `test_call`, so that sums can be checked another way.
 */
export async function createReportScene(seed: number, calls: number, payments: number): Promise<SettlementScene> {
  const scene = await SettlementScene.create(4);
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const moment = (): string => new Date(firstMs + below(spanMs)).toISOString();
  const { owner } = scene;
  await owner.sql`
    create table test_call (at timestamptz, user_id bigint, model text, channel text, outcome text, tokens bigint,
      quota bigint, settled bigint)`;
  await owner.sql`
    insert into model (name, display_name, owned_by, context_tokens_max, output_tokens_max)
    select name, name, 'test', 1000, 1000 from unnest(array['alpha', 'beta']) name`;
  await owner.sql`
    insert into channel (name, upstream) select name, ${JSON.stringify(openaiUpstream("https://provider.example/v1"))}::text::jsonb
    from unnest(array['east', 'west']) name`;
  const rows = Array.from({ length: calls }, (_, index) => ({
    at: moment(),
    // A few users make half of the calls; the others call on some days only.
    user: below(2) === 0 ? scene.customer(below(4)).gatewayUserId.toString() : String(10_000 + below(60)),
    model: ["alpha", "beta", null][below(3)] ?? null,
    channel: ["east", "west", null][below(3)] ?? null,
    outcome: ["completed", "completed", "aborted", "failed", "refused"][index % 5] ?? "completed",
    tokens: below(10_000),
    quota: below(100_000),
    settled: below(100_000),
  }));
  await owner.sql`
    insert into test_call (at, user_id, model, channel, outcome, tokens, quota, settled)
    select at, "user", model, channel, outcome, tokens, quota, settled from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as r (at timestamptz, "user" bigint, model text, channel text, outcome text, tokens bigint, quota bigint, settled bigint)`;
  await fillRollup(scene);
  await insertPayments(
    scene,
    Array.from({ length: payments }, () => ({
      at: moment(),
      usd: `${1 + below(90)}.${10 + below(90)}`,
      refund: below(4),
    })),
  );
  return scene;
}

/** The sums, by a statement of the tests. */
async function fillRollup({ owner }: SettlementScene): Promise<void> {
  for (const [slice, step, dimensions] of [
    ["total", "15 minutes", "0::bigint, '', 0::bigint, ''"],
    ["route", "15 minutes", "0::bigint, coalesce(e.model, ''), coalesce(c.id, 0), ''"],
    ["route_hours", "2 hours", "0::bigint, coalesce(e.model, ''), coalesce(c.id, 0), ''"],
    ["route_day", "1 day", "0::bigint, coalesce(e.model, ''), coalesce(c.id, 0), ''"],
    ["user", "15 minutes", "e.user_id, '', 0::bigint, ''"],
    ["user_day", "1 day", "e.user_id, '', 0::bigint, ''"],
  ] as const) {
    await owner.query(
      `insert into usage_rollup
       select '${slice}', date_bin('${step}', e.at, '2000-01-01 00:00:00+00'), ${dimensions}, count(*),
         count(*) filter (where outcome = 'completed'), count(*) filter (where outcome = 'aborted'),
         count(*) filter (where outcome = 'failed'), count(*) filter (where outcome = 'refused'), sum(tokens),
         sum(tokens) * 2, 0, 0, 0, 0, 0, sum(quota), sum(settled), min(at), max(at)
       from test_call e left join channel c on c.name = e.channel group by 2, 3, 4, 5, 6`,
      [],
    );
  }
  await owner.sql`
    insert into usage_user select user_id, min(at), max(at) from test_call group by user_id
    on conflict (gateway_user_id) do update set first_at = excluded.first_at, last_at = excluded.last_at`;
}

type RandomPayment = { readonly at: string; readonly usd: string; readonly refund: number };

async function insertPayments({ owner }: SettlementScene, payments: readonly RandomPayment[]): Promise<void> {
  for (const [index, { at, usd, refund }] of payments.entries()) {
    const gateway = index % 7 === 0 ? "mock" : index % 2 === 0 ? "walletpay" : "cardpay";
    await owner.sql`
      with placed as (
        insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, pay_channel, status, is_mock,
          expires_at, settled_at, created_at)
        values (${`T${index}`}, ${index % 3 === 0 ? "small" : "large"}, 'Plan', 'wallet_balance', 500, ${usd}::numeric,
          ${gateway === "mock" ? "none" : gateway}, ${refund === 0 ? "refunded" : "settled"}, ${gateway === "mock"},
          ${at}::timestamptz + interval '1 day', ${at}::timestamptz, ${at}::timestamptz)
        returning id
      ), paid as (
        insert into payment (order_id, gateway, account, transaction_id, amount_usd, currency, created_at)
        select id, ${gateway}, 'default', ${`t-${index}`}, ${usd}::numeric, 'USD', ${at}::timestamptz from placed
      )
      insert into refund (refund_no, order_id, amount_usd, quota, status, reason, created_at, updated_at)
      select ${`R${index}`}, id, ${usd}::numeric, 0, 'done', 'test', ${at}::timestamptz, ${at}::timestamptz + interval '5 hours'
      from placed where ${refund === 0}`;
  }
}
