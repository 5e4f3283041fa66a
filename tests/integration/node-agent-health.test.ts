import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type Challenge, challengeAgeMsMax, isProofValid, signChallenge } from "@sluice/exit-protocol/challenge";
import { detailedHealthResponse } from "@sluice/exit-protocol/health";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { nextRelayKey, providerKey, RunningAgent, refreshToken, relayKey } from "../support/exit-nodes/node-agent.ts";

let provider: SandboxProvider;
let agent: RunningAgent;

beforeAll(async () => {
  provider = startSandboxProvider();
  agent = await RunningAgent.start({ providerUrl: provider.url });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await provider.stop();
});

describe("/health", () => {
  test("shows everyone whether the node can serve, and nothing else", async () => {
    const answer = await fetch(`${agent.url}/health`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-svc-exit-node")).toBe("node-a1");
    expect(await answer.json()).toEqual({ ok: true });
  });

  test("shows the holder of the relay key the node, its load and its accounts", async () => {
    await (await agent.chat()).text();
    const answer = await agent.call("/health");
    const text = await answer.text();
    const details = detailedHealthResponse.parse(JSON.parse(text));
    expect(details).toMatchObject({ ok: true, node: "node-a1", egressAddress: { bound: null, seen: "127.0.0.1" } });
    expect(details.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(Math.abs(details.clock.epochMs - Date.now())).toBeLessThan(5_000);
    expect(details.accounts).toEqual([
      { accountCode: "main", provider: "model", authType: "api_key", status: "active" },
      { accountCode: "slot", provider: "identity", authType: "oauth_refresh_token", status: "standby" },
    ]);
    expect(text).not.toContain(providerKey);
    expect(text).not.toContain(refreshToken);
  });

  test("shows an account whose key the provider refuses, until the provider accepts it again", async () => {
    const statusOfMain = async () => {
      const details = detailedHealthResponse.parse(await (await agent.call("/health")).json());
      return details.accounts[0]?.status;
    };
    provider.script({ status: 401 });
    await (await agent.chat()).text();
    expect(await statusOfMain()).toBe("refused");
    await (await agent.chat()).text();
    expect(await statusOfMain()).toBe("active");
  });

  test("does not treat a wrong key as a missing one", async () => {
    const answer = await fetch(`${agent.url}/health`, { headers: { authorization: `Bearer ${nextRelayKey}` } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ ok: false, error: { code: "unauthorized" } });
  });

  test("accepts no other method", async () => {
    expect((await agent.call("/health", { method: "POST" })).status).toBe(405);
  });
});

describe("a challenge instead of the relay key", () => {
  const freshChallenge = (change: Partial<Challenge> = {}): Challenge => ({
    nodeCode: "node-a1",
    audience: `127.0.0.1:${agent.port}`,
    issuedAtMs: Date.now(),
    nonce: randomBytes(16).toString("base64url"),
    ...change,
  });
  const ask = (header: string) => fetch(`${agent.url}/health`, { headers: { "x-svc-challenge": header } });

  test("gets a proof that binds the response to it", async () => {
    const challenge = freshChallenge();
    const answer = await ask(signChallenge(relayKey, challenge));
    const body = await answer.text();
    const proof = answer.headers.get("x-svc-proof") ?? "";
    expect(detailedHealthResponse.parse(JSON.parse(body)).ok).toBe(true);
    expect(isProofValid(relayKey, challenge, body, proof)).toBe(true);
    expect(isProofValid(nextRelayKey, challenge, body, proof)).toBe(false);
    expect(isProofValid(relayKey, challenge, `${body} `, proof)).toBe(false);
    expect(isProofValid(relayKey, freshChallenge(), body, proof)).toBe(false);
  });

  test("79: is accepted once, and only while it is fresh", async () => {
    const header = signChallenge(relayKey, freshChallenge());
    expect((await ask(header)).status).toBe(200);
    for (const stale of [
      header,
      signChallenge(relayKey, freshChallenge({ issuedAtMs: Date.now() - challengeAgeMsMax - 1_000 })),
      signChallenge(relayKey, freshChallenge({ issuedAtMs: Date.now() + challengeAgeMsMax + 5_000 })),
    ]) {
      const answer = await ask(stale);
      expect([answer.status, await answer.json()]).toEqual([401, { ok: false, error: { code: "stale_challenge" } }]);
      expect(answer.headers.get("x-svc-proof")).toBeNull();
    }
  });

  test.each<readonly [string, () => string]>([
    ["from a caller with another key", () => signChallenge(nextRelayKey, freshChallenge())],
    ["for another node", () => signChallenge(relayKey, freshChallenge({ nodeCode: "node-b2" }))],
    ["for another address", () => signChallenge(relayKey, freshChallenge({ audience: "evil.example" }))],
    [
      "with another nonce",
      () => signChallenge(relayKey, freshChallenge()).replace(/\.[^.]{22}\./, `.${"A".repeat(22)}.`),
    ],
    ["of another version", () => signChallenge(relayKey, freshChallenge()).replace("v1", "v2")],
    ["that is not a challenge", () => "v1"],
  ])("%s is refused", async (_name, header) => {
    const answer = await ask(header());
    expect([answer.status, await answer.json()]).toEqual([401, { ok: false, error: { code: "unauthorized" } }]);
  });

  test("under a host that is not the node's is refused", async () => {
    await using named = await RunningAgent.start({
      providerUrl: provider.url,
      env: { PUBLIC_HOSTS: "node.example,node.example:8790" },
    });
    const status = async (host: string) => {
      const header = signChallenge(relayKey, freshChallenge({ audience: host }));
      return (await fetch(`${named.url}/health`, { headers: { host, "x-svc-challenge": header } })).status;
    };
    expect(await status("node.example")).toBe(200);
    expect(await status("evil.example")).toBe(401);
  });
});

describe("/metrics", () => {
  test("need the relay key", async () => {
    expect((await fetch(`${agent.url}/metrics`)).status).toBe(401);
  });

  test("count calls, refusals and failures of the provider", async () => {
    await using counted = await RunningAgent.start({ providerUrl: provider.url });
    await (await counted.chat()).text();
    await (await fetch(`${counted.url}/v1/models`)).text();
    provider.script({ status: 401 });
    await (await counted.chat()).text();
    const text = await (await counted.call("/metrics")).text();
    expect(text).toContain('sluice_node_calls_total{status="200"} 1\n');
    expect(text).toContain('sluice_node_refusals_total{code="unauthorized"} 1\n');
    expect(text).toContain('sluice_node_upstream_failures_total{kind="refused_key"} 1\n');
    expect(text).toContain("sluice_node_first_byte_seconds_count 2\n");
    expect(text).toContain("sluice_node_in_flight_calls 0\n");
    expect(text).not.toContain(providerKey);
  });
});

test("an unknown path is a 404 with the node's code", async () => {
  const answer = await agent.call("/");
  expect([answer.status, answer.headers.get("x-svc-exit-node")]).toEqual([404, "node-a1"]);
});
