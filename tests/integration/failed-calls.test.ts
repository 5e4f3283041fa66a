/**
 * The visible effects of calls that failed before their response began: whose fault it was, how often, and with which
 * message.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { rollUsageUp } from "@sluice/control-plane/usage/rollup/roll-up.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { Registry } from "prom-client";
import { type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

type Row = Record<string, unknown>;

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let admin: ConsoleClient;
let user: ConsoleClient;
let apiKey: string;

const words = "worker 7 ran out of memory";
const errorBody = { error: `${words}, see http://10.1.2.3/log?key=hunter22` };

beforeAll(async () => {
  provider = startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  for (const name of ["covered", "lone", "paused", "unserved"]) {
    await rig.addModel(name);
  }
  await rig.addChannel("weak", `${provider.url}/v1`, ["covered", "lone"]);
  const strong = await rig.addChannel("strong", `${provider.url}/v1`, ["covered"]);
  await rig.addChannel("paused", `${provider.url}/v1`, ["paused"]);
  await rig.db.sql`update ability set priority = 1 where channel_id = ${strong}::bigint`;
  // Without the jobs, which settle calls and add them up as well.
  sluice = await rig.startProcess({ ROLES: "relay,gateway,backend" });
  admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const login = await loginUser(rig, { quota: 1_000_000_000n });
  user = consoleClient(sluice.url, login.cookie);
  apiKey = await createApiKey(rig.db, login.gatewayUserId, "mine");
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

const call = async (model: string): Promise<string> => {
  const seen = await chat({ url: sluice.url, apiKey }, { model, messages: [{ role: "user", content: "hello" }] });
  return seen.requestId ?? "";
};
/** A channel that is the only one is tried twice. */
const fail = (times: number) =>
  provider.script({ status: 500, body: errorBody }, { match: { credential: "upstream-weak" }, times });
const failOnce = () => fail(1);

test("a channel's success rate counts every attempt at it, even if another one served the call afterwards", async () => {
  await call("lone");
  fail(2);
  await call("lone");
  fail(2);
  await call("lone");
  failOnce();
  await call("covered");
  await rig.waitForUsageRows(4);
  await waitUntilSettleable(rig.db);
  const log = createLog("error", () => undefined);
  await new UsageSettlement({ db: rig.db, clock: systemClock, log, registry: new Registry() }).run();
  await rollUsageUp(rig.db, systemClock);
  const { body } = await admin.get("/backend/admin/overview/");
  const rates = (body["by_provider"] as Row[]).map(({ name, calls, failed, success_rate }) => [
    name,
    Number(calls),
    Number(failed),
    success_rate,
  ]);
  expect(rates.toSorted()).toEqual([
    ["strong", 1, 0, "1.0000"],
    // One of six attempts; the calls are those that it was the last to try.
    ["weak", 3, 2, "0.1667"],
  ]);
});

test("the health of a channel counts every attempt at it, also of calls that another one answered", async () => {
  const { body } = await admin.get("/backend/admin/channel/health/");
  const rows = (body["rows"] as Row[]).map(({ channel_name, model, attempts, failed, answered, success_rate }) => [
    ...[channel_name, model, attempts, failed, answered],
    success_rate,
  ]);
  expect(rows).toEqual([
    ["weak", "covered", 1, 1, 0, 0],
    ["weak", "lone", 5, 4, 1, 0.2],
    ["strong", "covered", 1, 0, 1, 1],
  ]);
  const [worst, , best] = body["rows"] as Row[];
  expect(worst).toMatchObject({ last_failure: "status_500", first_byte_ms_p50: null });
  expect(Date.parse(String(worst?.["last_failed_at"]))).toBeGreaterThan(Date.parse(String(body["from"])));
  expect(best).toMatchObject({ last_failure: null, last_failed_at: null, first_byte_ms_p50: expect.any(Number) });
  expect(Number(best?.["first_byte_ms_p95"])).toBeLessThan(5_000);
});

test("an admin sees the provider's message for each attempt, without addresses and keys; the user does not", async () => {
  failOnce();
  const request_id = await call("covered");
  await rig.waitForUsageRows(5);
  const { body: detail } = await admin.get("/backend/admin/trace/detail/", { request_id });
  expect(detail["usage"]).toMatchObject({ channel: "strong" });
  expect((detail["attempts"] as Row[]).map(({ channel, result, said }) => [channel, result, said])).toEqual([
    ["weak", "status_500", `${words}, see [address]`],
    ["strong", "answered", null],
  ]);
  const { body: receipt } = await user.get("/backend/usage/receipt/", { request_id });
  expect(JSON.stringify(receipt)).toContain("status_500");
  expect(JSON.stringify(receipt)).not.toContain("memory");
  expect(sluice.log()).not.toContain("memory");
});

test("a call for which no provider could be asked has failed, and one that the caller has to change was refused", async () => {
  provider.script({ status: 429, retryAfter: 60 }, { match: { credential: "upstream-paused" } });
  const ids = [await call("paused"), await call("paused"), await call("unserved"), await call("unknown")];
  await rig.waitForUsageRows(9);
  const rows = await rig.db.sql<{ request_id: string; outcome: string; error_code: string; attempts: unknown[] }>`
    select request_id, outcome, error_code, usage_attempts(attempts) as attempts from usage_log`;
  const seen = ids.map((id) => rows.find(({ request_id }) => request_id === id));
  expect(seen.map((row) => [row?.outcome, row?.error_code, row?.attempts.length])).toEqual([
    ["failed", "upstream_rate_limited", 1],
    ["failed", "upstream_rate_limited", 0],
    ["failed", "no_upstream", 0],
    ["refused", "model_not_found", 0],
  ]);
});
