/** A session of Claude Code on a channel that speaks the Messages API: nothing is converted, and every token is charged. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { ClaudeCode, claudeCodeProgram } from "../support/agents/claude-code.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { describeUnless } from "../support/service/obstacles.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { waitForSettledRows } from "../support/usage/settled-rows.ts";

const model = "claude-sonnet-4-5";
const upstreamModel = "vendor/claude-sonnet-4-5";
const turns = 10;

/** What the provider counts in one turn: the conversation of the turns before is read from its cache. */
const tokensOf = (turn: number) => ({
  prompt: 20_000 + turn * 1_013,
  cached: turn === 0 ? 0 : 20_000 + (turn - 1) * 1_013,
  written5m: turn === 0 ? 15_000 : 1_000,
  written1h: turn === 0 ? 5_000 : 7,
  completion: 41 + turn * 7,
  reasoning: 17,
});

/** 10^-8 USD for a token that is fresh, read, written for 5 minutes and for an hour, and put out; 200 of them are one quota. */
function quotaOf({ prompt, cached, written5m, written1h, completion }: ReturnType<typeof tokensOf>): bigint {
  const fresh = prompt - cached - written5m - written1h;
  const cost = BigInt(fresh * 300 + cached * 30 + written5m * 375 + written1h * 600 + completion * 1_500);
  return (cost + 199n) / 200n;
}

describeUnless(claudeCodeProgram.install(), "Claude Code on a channel of the Messages API", () => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let sluice: SluiceProcess;
  let agent: ClaudeCode;

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    await addNativeModel(rig, { name: model, providerUrl: provider.url, upstreamModel });
    sluice = await rig.startProcess();
  });
  afterEach(async () => {
    provider.reset();
    await agent.close();
  });
  afterAll(async () => {
    await rig.close();
    await provider.stop();
  });

  test.each(["", "/msgcompat"])(
    "ten turns with tools at %p cost exactly what the provider has counted",
    async (base) => {
      const user = await rig.addUser();
      agent = await ClaudeCode.create(`${sluice.url}${base}`, user.apiKey);
      const all = Array.from({ length: turns }, (_, turn) => tokensOf(turn));
      provider.script(
        all.map((tokens, turn) => {
          const call = { name: "Bash", arguments: { command: `echo turn ${turn}`, description: "Says the turn" } };
          const isLast = turn === turns - 1;
          return {
            tokens,
            reasoning: `Thought ${turn}.`,
            ...(isLast ? { toolCalls: [], text: "All turns are done." } : { toolCalls: [call] }),
          };
        }),
      );
      const result = await agent.run("Ten turns, please.", model, turns + 2);
      expect(result).toMatchObject({ is_error: false, result: "All turns are done.", num_turns: turns });
      expect(provider.requests.map(({ target }) => target)).toEqual(all.map(() => "/v1/messages"));
      for (const { json, headers } of provider.requests) {
        expect(json).toMatchObject({ model: upstreamModel, stream: true });
        expect(new Map(headers).get("anthropic-beta")).toContain("claude-code-");
      }
      const results = JSON.stringify(provider.requests.at(-1)?.json);
      expect(all.slice(1).every((_, turn) => results.includes(`turn ${turn}`))).toBe(true);
      // The agent saw the provider's own counts.
      expect(result.usage.cache_read_input_tokens).toBe(all.reduce((sum, { cached }) => sum + cached, 0));
      const rows = await waitForSettledRows(rig.db, user.gatewayUserId, turns);
      expect(rows.map(({ quota }) => quota)).toEqual(all.map(quotaOf));
      expect(rows.every(({ usageSource }) => usageSource === "provider")).toBe(true);
      expect(await rig.checkMoney()).toEqual([]);
    },
  );
});
