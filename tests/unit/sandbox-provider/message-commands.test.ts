import { describe, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { describeCommands, readCommands } from "@sluice/sandbox-provider/script/message-commands";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";

describe("a message", () => {
  const cases: readonly (readonly [message: string, behaviour: Behaviour])[] = [
    ["hello", {}],
    ["my sandbox:er is not meant", { text: expect.stringContaining("does not know") as unknown as string }],
    ["mysandbox: status 500", {}],
    ["sandbox: status 429 retry-after 2", { status: 429, retryAfter: 2 }],
    ["please. SANDBOX: Status 500", { status: 500 }],
    ["sandbox: status 600", { text: expect.stringContaining("'status 600'") as unknown as string }],
    ["sandbox: cut after 3 chunks", { cut: { afterChunks: 3, with: "fin" } }],
    ["sandbox:cut after 1 chunk with reset", { cut: { afterChunks: 1, with: "rst" } }],
    ["sandbox: cut after 200 bytes", { cut: { afterBytes: 200, with: "fin" } }],
    ["sandbox: delay 500; pace 50\nfirst-token 7", { delayHeadMs: 500, chunkDelayMs: 50, firstTokenDelayMs: 7 }],
    ["sandbox: tool get_weather", { toolCalls: [{ name: "get_weather" }] }],
    ["sandbox: tools a, b-c ,a", { toolCalls: [{ name: "a" }, { name: "b-c" }, { name: "a" }] }],
    ["sandbox: say  two  words", { text: "two words" }],
    ["sandbox: chunks 5 sandbox: omit usage", { chunks: 5, omitUsage: true }],
    ["sandbox: usage 9 1 cached 4", { tokens: { prompt: 9, completion: 1, cached: 4 } }],
    ["sandbox: usage 9 5 reasoning 2 Written 3", { tokens: { prompt: 9, completion: 5, written5m: 3, reasoning: 2 } }],
    [
      "sandbox: usage-shape xAI; error-inside 429",
      { usageShape: "xai", errorInside: { form: "alone", code: 429, afterChunks: 0 } },
    ],
    ["sandbox: html", { isHtmlBody: true, status: 502 }],
    ["sandbox:", {}],
  ];
  for (const [message, behaviour] of cases) {
    test(`'${message}' is understood`, () => expect(readCommands(message)).toEqual(behaviour));
  }

  test("can use every command as listed", () => {
    const usages = describeCommands()
      .split("\n")
      .map((line) => line.slice(0, "sandbox: ".length + 34).replace(/\[|\]/g, ""));
    expect(usages.length).toBeGreaterThan(15);
    for (const usage of usages.filter((line) => !line.startsWith("sandbox: say"))) {
      expect([usage, readCommands(usage).text]).toEqual([usage, undefined]);
    }
  });
});

test("commands only apply to the last message, and only if it is the user's", async () => {
  const provider = startSandboxProvider();
  const statusOf = async (messages: readonly object[]): Promise<number> => {
    const answer = await fetch(`${provider.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer k", "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages }),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const command = { role: "user", content: [{ type: "text", text: "sandbox: status 503" }] };
  expect(await statusOf([command])).toBe(503);
  expect(await statusOf([command, { role: "user", content: "hello" }])).toBe(200);
  expect(await statusOf([command, { role: "tool", tool_call_id: "a", content: "sandbox: status 500" }])).toBe(200);
  await provider.stop();
});
