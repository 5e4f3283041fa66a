import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { arrangements, type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

describe.each(arrangements)("a first call, %s", (arrangement) => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let sluice: SluiceProcess;
  let user: TestUser;

  beforeAll(async () => {
    provider = await startSandboxProvider({ port: 0 });
    rig = await SluiceRig.create(provider.url);
    sluice = await rig.start(arrangement);
    user = await rig.addUser();
  });

  afterAll(async () => {
    await rig.close();
    await provider.stop();
  });

  const call = (body: object) =>
    fetch(`${sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }], ...body }),
    });

  test("is served, priced, charged and recorded once", async () => {
    const answer = await call({});
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get("x-request-id");
    const { usage } = (await answer.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    await rig.waitForUsageRows(1);
    const [row] = await rig.db.sql<{ quota: bigint; input_tokens: bigint; output_tokens: bigint; outcome: string }>`
      select quota, input_tokens, output_tokens, outcome from usage_log where request_id = ${requestId ?? ""}::uuid`;
    expect(row?.input_tokens).toBe(BigInt(usage.prompt_tokens));
    expect(row?.output_tokens).toBe(BigInt(usage.completion_tokens));
    // 0.15 and 0.60 USD a million, 500,000 quota a USD: 0.075 and 0.3 quota a token, rounded up once.
    expect(row?.quota).toBe(BigInt(Math.ceil((usage.prompt_tokens * 75 + usage.completion_tokens * 300) / 1000)));
    expect(row?.outcome).toBe("completed");
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("as a stream ends with [DONE], hides the usage chunk nobody asked for, and is charged the same", async () => {
    const plain = await (await call({ stream: true })).text();
    expect(plain.trimEnd().endsWith("data: [DONE]")).toBe(true);
    expect(plain).not.toContain('"prompt_tokens"');
    const asked = await (await call({ stream: true, stream_options: { include_usage: true } })).text();
    expect(asked).toContain('"prompt_tokens"');
    await rig.waitForUsageRows(3);
    const rows = await rig.db.sql<{ quota: bigint }>`select distinct quota from usage_log`;
    expect(rows).toHaveLength(1);
  });

  test("leaves a trace with the metadata and an encrypted payload", async () => {
    const [trace] = await rig.db.sql<{
      status: string;
      payload: string;
      client_ip: string;
      model: string;
      http_status: number;
    }>`
      select status, payload, client_ip, model, http_status from trace_record order by started_at limit 1`;
    expect(trace).toEqual({
      status: "completed",
      payload: "stored",
      client_ip: "127.0.0.1",
      model: "gpt-4o-mini",
      http_status: 200,
    });
  });
});
