import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { RunningArm } from "../../bench/relay/arm.ts";
import { addConversionChannels } from "../../bench/relay/arms/conversion-channels.ts";
import { callDialects, callOf, convertedAt, dialectPaths } from "../../bench/relay/load/call.ts";
import { chatHeaders } from "../../bench/relay/load/chat-request.ts";
import { runClient } from "../../bench/relay/load/client.ts";
import { FakeProvider } from "../../bench/relay/load/provider.ts";
import { measure } from "../../bench/relay/measure.ts";
import { conversionScenarios, type Scenario } from "../../bench/relay/scenarios.ts";
import { verifyConversion } from "../../bench/relay/verify.ts";
import { testUnless, unlessLinux } from "../../support/service/obstacles.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../../support/service/sluice.ts";

let provider: FakeProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let arm: RunningArm;

beforeAll(async () => {
  provider = new FakeProvider();
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
  await addConversionChannels(rig.db, new MasterKey(masterKeyBytes), provider.port);
  const user = await rig.addUser();
  sluice = await rig.start("one-process");
  const headers = chatHeaders(user.apiKey);
  const { pid } = sluice;
  const port = Number(new URL(sluice.url).port);
  arm = { port, path: dialectPaths.chat, headers, pid, companions: [], books: null, stop: async () => undefined };
});
afterAll(async () => {
  await rig.close();
  provider.stop();
});

test.each(callDialects)("the provider answers %s in its own dialect, whole and streamed", async (dialect) => {
  const call = callOf({ client: dialect, upstream: dialect });
  const base = { port: provider.port, path: convertedAt + dialectPaths[dialect], headers: [], call };
  const load = { ...base, connections: 2, warmupMs: 0, durationMs: 250, staggerMs: 0 };
  expect((await runClient({ ...load, isStream: false })).answered).toBeGreaterThan(0);
  const { answered, stream } = await runClient({ ...load, isStream: true });
  expect(stream?.chunks).toBe(50 * answered);
});

describe("a conversion is only measured when text and usage arrive as the provider sent them", () => {
  const converted = conversionScenarios.filter(({ kind }) => kind === "json");

  test.each(converted)("$name passes", async ({ conversion }) => {
    await verifyConversion(arm, conversion ?? expect.unreachable());
  });

  test("an answer of another provider is refused", async () => {
    // Answers in the dialect, but with the text of an answer that is not converted.
    const other = Bun.serve({
      port: 0,
      fetch: () => Response.json({ content: [{ type: "text", text: "Something else" }], usage: {} }),
    });
    try {
      const wrong = verifyConversion({ ...arm, port: Number(other.port) }, { client: "messages", upstream: "chat" });
      await expect(wrong).rejects.toThrow("the answer differs from the provider's");
    } finally {
      await other.stop(true);
    }
  });
});

describe("each conversion can be measured", () => {
  const few = (scenario: Scenario): Scenario => ({
    ...scenario,
    connections: 2,
    warmupSeconds: 0,
    paceMicroseconds: Math.min(1_000, scenario.paceMicroseconds),
  });

  testUnless(unlessLinux, "with its CPU, and not a call more or less than reached the provider", async () => {
    const site = { providerPort: provider.port, folder: "", profileFolder: null, against: null, binaries: {} };
    for (const scenario of conversionScenarios) {
      const options = {
        site,
        provider,
        scenario: few(scenario),
        seconds: process.env["TEST_FULL"] === "1" ? 0.5 : 0.25,
        jsonLoad: "bun",
      } as const;
      const { load, provided, armCpuMs } = await measure(arm, options);
      expect(load.answered, scenario.name).toBe(provided);
      expect(load.stream?.chunks ?? null, scenario.name).toBe(scenario.kind === "stream" ? 50 * provided : null);
      expect(armCpuMs, scenario.name).toBeGreaterThan(0);
    }
  });
});
