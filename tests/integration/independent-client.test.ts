import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import postgres from "postgres";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let sql: postgres.Sql;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.start("one-process");
  sql = postgres(rig.database.url, { max: 1 });
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await rig.close();
  await provider.stop();
});

test("another driver reads the same integers, decimals, JSON and bytes that the service wrote", async () => {
  const { apiKey, budgetId } = await rig.addUser(9_007_199_254_740_993n);
  const answer = await fetch(`${sluice.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
  });
  const requestId = answer.headers.get("x-request-id") ?? "";
  await rig.waitForUsageRows(1);
  const [row] = await sql`
    select quota::text, rate_multiplier::text, jsonb_typeof(usage_attempts(attempts)) as kind, usage_attempts(attempts)->0->>'result' as result
    from usage_log where request_id = ${requestId}`;
  expect(row).toEqual({
    quota: expect.stringMatching(/^[1-9]\d*$/),
    rate_multiplier: "1.0000",
    kind: "array",
    result: "answered",
  });
  // One more than the largest integer that a float can distinguish from its neighbour.
  const [budget] =
    await sql`select granted::text, (granted - used)::text as rest from budget where id = ${budgetId.toString()}`;
  expect(budget?.["granted"]).toBe("9007199254740993");
  expect(BigInt(budget?.["rest"] ?? 0)).toBe(9_007_199_254_740_993n - BigInt(row?.["quota"] ?? 0));
  const [key] =
    await sql`select key_hash from api_key where gateway_user_id = (select gateway_user_id from budget where id = ${budgetId.toString()})`;
  expect(new Uint8Array(key?.["key_hash"])).toEqual(new Uint8Array(Bun.SHA256.hash(apiKey) as Uint8Array));
});
