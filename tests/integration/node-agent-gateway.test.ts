import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { nextRelayKey, providerKey, RunningAgent, relayKey } from "../support/exit-nodes/node-agent.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

/** A node is an ordinary channel to the gateway: its credential is the relay key, its base URL the agent's. */
describe("a gateway with a node", () => {
  let provider: SandboxProvider;
  let agent: RunningAgent;
  let rig: SluiceRig;
  let sluice: SluiceProcess;
  let user: TestUser;

  beforeAll(async () => {
    provider = startSandboxProvider();
    agent = await RunningAgent.start({ providerUrl: provider.url });
    rig = await SluiceRig.create(provider.url);
    await rig.addModel("by-node");
    await rig.addChannel("node", `${agent.url}/v1`, ["by-node"], relayKey);
    await rig.addModel("by-wrong-key");
    await rig.addChannel("wrong", `${agent.url}/v1`, ["by-wrong-key"], nextRelayKey);
    sluice = await rig.start("one-process");
    user = await rig.addUser();
  });

  afterAll(async () => {
    await rig.close();
    await agent[Symbol.asyncDispose]();
    await provider.stop();
  });

  const call = (model: string, more: object = {}) =>
    fetch(`${sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], ...more }),
    });

  test("has its calls served with the key of the node, and charges them", async () => {
    const answer = await call("by-node");
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("chat.completion")]);
    expect(provider.requests.map(({ credential }) => credential)).toEqual([providerKey]);
    const stream = await (await call("by-node", { stream: true })).text();
    expect(stream.trimEnd()).toEndWith("data: [DONE]");
    await rig.waitForUsageRows(2);
    const rows = await rig.db.sql<{ outcome: string; hasTokens: boolean }>`
      select outcome, output_tokens > 0 as "hasTokens" from usage_log`;
    expect(rows).toEqual([
      { outcome: "completed", hasTokens: true },
      { outcome: "completed", hasTokens: true },
    ]);
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("notices a stream that the node's provider breaks off", async () => {
    provider.script({ cut: { afterChunks: 3, with: "rst", lingerMs: 30 } });
    const text = await (await call("by-node", { stream: true })).text().catch(() => "broken");
    expect(text).not.toContain("[DONE]");
  });

  test("does not pass on a node's 401 for its relay key", async () => {
    const answer = await call("by-wrong-key");
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain(nextRelayKey);
  });
});
