/** Usage that can't be true, and rows that the database refuses: neither ruins an account, and both are seen. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { readBudget, waitForIdleReturn } from "../support/calls/budget-watch.ts";
import { chat } from "../support/calls/chat-call.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { recomputedCost, waitForSettledRows } from "../support/usage/settled-rows.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.addTokenPriceModel("dear", { input_usd_per_m: "100", output_usd_per_m: "300" });
  sluice = await rig.startProcess();
});

beforeEach(() => provider.reset());

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

const metric = async (name: string) => {
  const text = await (await fetch(`${sluice.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};

describe("an implausible usage", () => {
  const lie = { prompt_tokens: 2 ** 53 - 1, completion_tokens: 2 ** 53 - 1 };

  test.each([false, true])(
    "is booked at the bound, marked, logged and counted; the account continues (stream %p)",
    async (stream) => {
      const before = await metric("sluice_implausible_usage_total");
      provider.script({ usage: lie });
      const user = await rig.addUser();
      const body = { model: "dear", stream, max_tokens: 100 };
      expect(await chat({ url: sluice.url, apiKey: user.apiKey }, body)).toMatchObject({ isWhole: true });
      const [row] = await waitForSettledRows(rig.db, user.gatewayUserId, 1);
      // What was set aside (a token for each byte, 100 of output), and once more what the model takes and gives.
      expect(row?.inputTokens).toBeGreaterThan(128_000n);
      expect(row?.inputTokens).toBeLessThan(128_300n);
      expect(row).toMatchObject({ outputTokens: 16_484n, usageSource: "provider" });
      expect(row?.quota).toBe(recomputedCost(row as NonNullable<typeof row>));
      const [flag] = await rig.db.sql<{ is_implausible: boolean }>`
        select is_implausible from usage_log where request_id = ${row?.requestId ?? ""}::uuid`;
      expect(flag).toEqual({ is_implausible: true });
      expect((await waitForIdleReturn(rig.db, user.budgetId)).remaining).toBeGreaterThan(990_000_000n);
      await sluice.logged(`"event":"usage.implausible","requestId":"${row?.requestId}"`);
      expect(await metric("sluice_implausible_usage_total")).toBe(before + 1);
      expect(await rig.checkMoney()).toEqual([]);
    },
  );

  test("that is not a count is ignored, and a plausible one is not marked", async () => {
    const user = await rig.addUser();
    const usages = [
      { prompt_tokens: -1, completion_tokens: -1 },
      { prompt_tokens: 9, completion_tokens: 1.5 },
      { prompt_tokens: 9, completion_tokens: 5_000 },
    ];
    provider.script(usages.map((usage) => ({ usage, text: "four words of text" })));
    for (const _ of usages) {
      await chat({ url: sluice.url, apiKey: user.apiKey }, { model: "dear", max_tokens: 100 });
    }
    await waitForSettledRows(rig.db, user.gatewayUserId, usages.length);
    const rows = await rig.db.sql<object>`
      select usage_source, output_tokens, is_implausible, quota > quota_held as is_over from usage_log
      where gateway_user_id = ${user.gatewayUserId}::bigint order by request_id`;
    expect([...rows]).toEqual([
      { usage_source: "estimated", output_tokens: 4n, is_implausible: true, is_over: false },
      { usage_source: "estimated", output_tokens: 4n, is_implausible: true, is_over: false },
      { usage_source: "provider", output_tokens: 5_000n, is_implausible: false, is_over: true },
    ]);
  });
});

test("rows that the database refuses are named by the money check until they are written", async () => {
  const user = await rig.addUser();
  await rig.db.sql`alter table usage_log add constraint no_poison check (path <> '/v1/chat/completions') not valid`;
  for (const model of ["dear", "gpt-4o-mini"]) {
    expect(await chat({ url: sluice.url, apiKey: user.apiKey }, { model })).toMatchObject({ isWhole: true });
  }
  const named = async () => (await rig.checkMoney()) as { invariant: string; subject: string; detail: string }[];
  await waitUntil(async () => (await named())[0]?.detail.startsWith("2 rows") === true);
  const [replica] = await rig.db.sql<{ id: string }>`select id from replica`;
  expect(await named()).toEqual([
    {
      invariant: "a usage row that was recorded is in the log",
      subject: `replica ${replica?.id}`,
      detail: expect.stringMatching(/^2 rows have been quarantined in its spool since 2\d{3}-/),
    },
  ]);
  const { dataDirectory } = sluice;
  await sluice.stop();
  expect(await named()).toHaveLength(1);
  await rig.db.sql`alter table usage_log drop constraint no_poison`;
  sluice = await rig.startProcess({ DATA_DIR: dataDirectory });
  expect(await named()).toEqual([]);
  const rows = await waitForSettledRows(rig.db, user.gatewayUserId, 2);
  const spent = rows.reduce((sum, { quota }) => sum + quota, 0n);
  await rig.waitForUsedQuota(user.budgetId, spent);
  expect((await readBudget(rig.db, user.budgetId)).used).toBe(spent);
});
