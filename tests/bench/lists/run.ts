/**
 * `bun run bench lists`: how long a page of a list takes, the first one and one deep inside, on a database of some age.
 */
import { parseArgs } from "node:util";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { selectMembers, selectOrganisations, selectProjects } from "@sluice/control-plane/organisations/store.ts";
import { selectInvoicesOf } from "@sluice/control-plane/payments/invoices/invoice-store.ts";
import { selectOrders } from "@sluice/control-plane/payments/orders/order-store.ts";
import { selectReferrals } from "@sluice/control-plane/payments/referrals/referral-store.ts";
import { listRenewals, selectLeft } from "@sluice/control-plane/payments/renewals/renewal-store.ts";
import { listSubscriptions, selectOverdue } from "@sluice/control-plane/payments/subscriptions/subscription-store.ts";
import { findTopUpOf, selectLow } from "@sluice/control-plane/payments/top-ups/top-up-store.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { writeCursor } from "@sluice/control-plane/platform/list-query/cursor.ts";
import { type ListDeps, readListRequest, readPage } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { pageStatement } from "@sluice/control-plane/platform/list-query/list-store.ts";
import type { AnyListSource } from "@sluice/control-plane/platform/list-query/model.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { openAgedService } from "../aged-service/open.ts";
import { sizesOf } from "../aged-service/sizes.ts";

const usage = `usage: bun run bench lists [options]
  --calls <n>      rows of the usage log (default 10000000)
  --runs <n>       how often each page is asked for (default 30)
  --data <folder>  keeps the filled data there, or uses what is there; the same for \`bench overview\``;

const days = 30;
const pageRows = 50;
const msMax = 50;

/** The queries for each list besides the default one. */
const questions: Readonly<Record<string, readonly string[]>> = {
  users: ["", "sort=email", "status=suspended", "user_type=business", "q=user1", "q=17", "q=sk-abcd", "user_id=17"],
  organisations: ["", "sort=name", "status=suspended", "q=team 1", "q=17", "q=sk-abcd", "user_id=17"],
  keys: ["", "user_id=17", "prefix=sk-a", "status=revoked", "status=expired", "group_name=nobody"],
  mails: [
    "",
    "status=dead",
    "to=user1",
    "to=user1234",
    "to=nobody",
    "user_id=17",
    "template=verify_email",
    "has_error=true",
  ],
  audit: [
    "",
    "action=plan.save",
    "action=user.save",
    "actor_name=admin-3",
    "actor_name=nobody",
    "actor_kind=system",
    "subject_kind=user&subject_id=17",
    "about_user_id=17",
  ],
  orders: [
    "",
    "sort=-amount_usd",
    "status=review",
    "status=pending",
    "is_marked=true",
    "user_id=17",
    "organisation_id=17",
    "email=user17",
    "email=user1",
    "email=nobody",
    "plan_code=nothing",
    "pay_channel=walletpay",
    "is_paid_late=true",
    "is_credited=false",
    "is_credited=true",
  ],
  payments: ["", "sort=amount_usd", "user_id=17", "organisation_id=17", "gateway=walletpay", "account=other"],
  refunds: ["", "user_id=17", "organisation_id=17", "status=pending"],
  ledger: [
    "",
    "user_id=17",
    "change_type=refund",
    "change_type=usage_quota",
    "change_type=manual_adjust",
    "account=house:bench",
  ],
  plans: [""],
  invoices: ["", "kind=credit_note", "sort=-gross_usd"],
  "code-batches": ["", "state=usable"],
  coupons: ["", "state=usable", "sort=-uses"],
  "gateway-events": ["", "result=mismatch", "order_no=S17"],
  "top-ups": ["", "status=on", "user_id=17"],
  referrals: ["", "state=rewarded", "inviter_id=17"],
  "registration-credits": ["", "outcome=refused", "network=192.0.2"],
  renewals: ["", "sort=price_usd", "status=past_due", "user_id=17"],
  adjustments: [""],
  models: [""],
  channels: [""],
  abilities: ["", "sort=channel_id"],
  usage: [
    "",
    "sort=time",
    "user_id=1",
    "user_id=17",
    "user_id=45000",
    "key_id=17",
    "model=model-3",
    "model=model-200",
    "model=nothing",
    "asked_model=model-3",
    "asked_model=nothing",
    "channel_id=5",
    "outcome=failed",
    "outcome=refused",
    "has_trouble=true",
    "error_code=no_upstream",
    "error_code=nothing",
    "user_id=1&model=model-3",
    "user_id=1&model=model-200",
    "user_id=1&outcome=failed",
    "user_id=1&outcome=refused",
    "user_id=17&channel_id=5",
    "model=model-3&outcome=failed",
    "model=model-200&channel_id=5",
    "channel_id=5&error_code=no_upstream",
  ],
};

export async function runListsBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "10000000" },
      runs: { type: "string", default: "30" },
      data: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const sizes = sizesOf(Number(values.calls), days);
  const tell = (line: string): void => console.error(line);
  const service = await openAgedService({ sizes, keptIn: values.data ?? null, isResummed: false, tell });
  try {
    const { calls, users, orders } = sizes;
    console.log(`${calls} calls, ${users} users, ${orders} orders; pages of ${pageRows}; ms\n`);
    console.log("| list | request | first: best | median | worst | deep: best | median | worst | reads |");
    console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    const isSlow = await measureAll(service.owner, Number(values.runs));
    console.log("\n| list of the console | best | median | worst |");
    console.log("| --- | --- | --- | --- |");
    const isConsoleSlow = await measureConsole(service.owner, Number(values.runs));
    return isSlow || isConsoleSlow ? 1 : 0;
  } finally {
    await service.close();
  }
}

async function measureAll(db: Database, runs: number): Promise<boolean> {
  const log = createLog("error", () => undefined);
  const deps: ListDeps = { db, clock: systemClock, log, recordExport: () => Promise.resolve() };
  let isSlow = false;
  for (const { source } of listPlaces) {
    for (const request of [...(questions[source.contract.name] ?? [""]), ...(await namedRow(deps, source))]) {
      const query = source.contract.input.parse(Object.fromEntries(new URLSearchParams(request)));
      const asked = { ...query, limit: pageRows } as Parameters<typeof readPage>[2];
      const first = await times(runs, () => readPage(deps, source, asked));
      const cursor = await deepCursor(db, source, asked);
      const deep = cursor === null ? null : await times(runs, () => readPage(deps, source, { ...asked, cursor }));
      const reads = await plan(db, source, asked);
      isSlow ||= Math.max(first.median, deep?.median ?? 0) > msMax;
      const shown = [source.contract.name, request, first.text, deep?.text ?? "- | - | -", reads];
      console.log(`| ${shown.join(" | ")} |`);
    }
  }
  return isSlow;
}

const person = { userId: 17n as UserId, organisationId: null };
const team = { userId: 17n as UserId, organisationId: 17n };
const firstPage = { below: null, limit: pageRows };

/** What customers and organisations see as lists, as their pages read it. */
const consoleLists: readonly (readonly [string, (db: Database) => Promise<unknown>])[] = [
  ["orders", (db) => selectOrders(db, person, firstPage)],
  ["orders of an organisation", (db) => selectOrders(db, team, firstPage)],
  ["invoices", (db) => selectInvoicesOf(db, person, firstPage)],
  ["invoices of an organisation", (db) => selectInvoicesOf(db, team, firstPage)],
  ["months", (db) => listSubscriptions(db, 17n as GatewayUserId)],
  ["renewals", (db) => listRenewals(db, person)],
  ["renewals of an organisation", (db) => listRenewals(db, team)],
  ["automatic top-up", (db) => findTopUpOf(db, person)],
  ["people invited", (db) => selectReferrals(db, 17n as UserId, firstPage)],
  ["organisations of a person", (db) => selectOrganisations(db, 17n as UserId)],
  ["members", (db) => selectMembers(db, 17n, null)],
  ["projects", (db) => selectProjects(db, 17n, null)],
  ["low balances to top up", (db) => selectLow(db, pageRows)],
  ["months that are over", (db) => selectOverdue(db, new Date(), pageRows)],
  ["renewals whose members have left", (db) => selectLeft(db, pageRows)],
];

async function measureConsole(db: Database, runs: number): Promise<boolean> {
  let isSlow = false;
  for (const [name, read] of consoleLists) {
    const { median, text } = await times(runs, () => read(db));
    isSlow ||= median > msMax;
    console.log(`| ${name} | ${text} |`);
  }
  return isSlow;
}

/** The request for a row by its id, as a link makes it. */
async function namedRow(deps: ListDeps, source: AnyListSource): Promise<string[]> {
  const { rowId, input } = source.contract;
  const asked = input.parse({}) as Parameters<typeof readPage>[2];
  const row = rowId === null ? undefined : (await readPage(deps, source, asked)).rows.at(-1);
  return rowId === null || row === undefined ? [] : [`rows=${encodeURIComponent(String(row[rowId]))}`];
}

async function times(runs: number, work: () => Promise<unknown>): Promise<{ median: number; text: string }> {
  const found: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await work();
    found.push(performance.now() - started);
  }
  found.sort((a, b) => a - b);
  const median = found[Math.floor(found.length / 2)] ?? 0;
  const text = [found[0], median, found.at(-1)].map((ms = 0) => ms.toFixed(1)).join(" | ");
  return { median, text };
}

type Query = Parameters<typeof readPage>[2];

/** A cursor in the middle of what the request finds; null when it is all on one page. */
async function deepCursor(db: Database, source: AnyListSource, query: Query): Promise<string | null> {
  const request = readListRequest(source, query, Date.now());
  const { text, values } = pageStatement(source, request, { after: null, limit: 1 });
  const [counted] = await db.query<{ rows: bigint }>(
    `select count(*) as rows from (${text.replace(/ limit \S+$/, "")}) t`,
    values.slice(0, -1),
  );
  const middle = Number(counted?.rows ?? 0n) >> 1;
  if (middle < pageRows) {
    return null;
  }
  const [row] = await db.query<{ "#": string[] }>(`${text} offset ${middle}`, values);
  return row === undefined ? null : writeCursor(request, row["#"]);
}

/** Which indexes the first page uses, and whether any table is read completely. */
async function plan(db: Database, source: AnyListSource, query: Query): Promise<string> {
  const request = readListRequest(source, query, Date.now());
  const { text, values } = pageStatement(source, request, { after: null, limit: pageRows + 1 });
  const lines = await db.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
  const found = lines.flatMap(({ "QUERY PLAN": line }) => {
    const index = /(?:using|Bitmap Index Scan on) (\S+)/.exec(line)?.[1]?.replace(/_y\d{4}m\d\dd\d\d/, "");
    const whole = /Seq Scan on (\S+)/.exec(line)?.[1];
    return index !== undefined ? [index.replace(/_idx\d*$/, "")] : whole === undefined ? [] : [`all of ${whole}`];
  });
  return [...new Set(found)].slice(0, 6).join(", ");
}
