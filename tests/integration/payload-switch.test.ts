import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;

beforeAll(async () => {
  provider = await startSandboxProvider({ port: 0 });
  rig = await SluiceRig.create(provider.url);
  sluice = await rig.startProcess({ TRACE_PAYLOADS: "0" });
  user = await rig.addUser();
});

afterAll(async () => {
  await rig.close();
  await provider.stop();
});

test("with TRACE_PAYLOADS=0 a call leaves its trace and none of its bodies", async () => {
  const answer = await fetch(`${sluice.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(answer.status).toBe(200);
  await rig.waitForUsageRows(1);
  const traces = await rig.db.sql<{ payload: string }>`select payload from trace_record`;
  expect(traces.map(({ payload }) => payload)).toEqual(["off"]);
  // What is stored at all is stored before a process has ended.
  await sluice.stop();
  expect(await rig.db.sql`select segment_id from payload_segment`).toHaveLength(0);
});
