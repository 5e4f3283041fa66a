import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { ClaudeCode, claudeCodeProgram } from "../support/agents/claude-code.ts";
import { describeUnless } from "../support/service/obstacles.ts";
import { SluiceRig, type TestUser } from "../support/service/sluice.ts";

const model = "claude-sonnet-4-5";

type UpstreamMessage = {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly unknown[];
};
type UpstreamRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly max_tokens: number;
  readonly messages: readonly UpstreamMessage[];
};

describeUnless(claudeCodeProgram.install(), "an agent, Claude Code 2.1.197", () => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let user: TestUser;
  let agent: ClaudeCode;

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    user = await rig.addUser();
    await rig.db.sql`
      insert into messages_model (name, display_name, upstream_model, flags, released_at)
      values (${model}, 'Claude Sonnet 4.5', 'gpt-4o-mini', '{}', '2025-09-29')`;
  });

  beforeEach(async () => {
    provider.reset();
    const sluice = await rig.startProcess();
    agent = await ClaudeCode.create(`${sluice.url}/msgcompat`, user.apiKey);
  });

  afterEach(async () => {
    await agent.close();
    expect(await rig.checkMoney()).toEqual([]);
  });

  afterAll(async () => {
    await rig.close();
    await provider.stop();
  });

  const requests = (): UpstreamRequest[] => provider.requests.map((record) => record.json as UpstreamRequest);
  // Left to itself the sandbox would call every tool that the agent's instructions name, hence the empty `toolCalls`.
  /** The results of tools in the last request, in the order in which they were sent to the provider. */
  const toolResults = (): UpstreamMessage[] =>
    (requests().at(-1)?.messages ?? []).filter(({ role }) => role === "tool");

  test("reads a file: its content reaches the model as the result of the call", async () => {
    const path = join(agent.project, "note.txt");
    await writeFile(path, "the tide turns at noon\n");
    provider.script([
      { toolCalls: [{ name: "Read", id: "call_read", arguments: { file_path: path } }] },
      { text: "It says that the tide turns at noon." },
    ]);
    const result = await agent.run("What does note.txt say?", model);
    expect(result).toMatchObject({ is_error: false, result: "It says that the tide turns at noon.", num_turns: 2 });
    expect(toolResults()).toMatchObject([
      { tool_call_id: "call_read", content: expect.stringContaining("the tide turns at noon") },
    ]);
    expect(requests().every((request) => request.model === "gpt-4o-mini" && request.stream)).toBe(true);
    // Prefix caches depend on it: earlier messages are repeated in the same bytes.
    const [first, second] = requests();
    expect(second?.messages.slice(0, first?.messages.length)).toEqual([...(first?.messages ?? [])]);
  });

  test("runs two commands in parallel, one of which fails: both results come back, in the order of the calls", async () => {
    provider.script([
      {
        toolCalls: [
          { name: "Bash", id: "call_slow", arguments: { command: "sleep 0.3; exit 3", description: "Fails" } },
          { name: "Bash", id: "call_quick", arguments: { command: "echo quick", description: "Says quick" } },
        ],
      },
      { text: "One of two worked." },
    ]);
    const result = await agent.run("Both, please.", model);
    expect(result).toMatchObject({ is_error: false, result: "One of two worked." });
    const [slow, quick] = toolResults();
    expect(toolResults()).toHaveLength(2);
    expect(slow).toMatchObject({
      tool_call_id: "call_slow",
      content: expect.stringMatching(/^Error|^<tool_use_error>/),
    });
    expect(quick).toMatchObject({ tool_call_id: "call_quick", content: expect.stringContaining("quick") });
  });

  test.each(["c1", "0", "functions.Bash:0"])(
    "runs each call of an upstream that gives them all the id %s",
    async (id) => {
      const call = (word: string) => ({
        toolCalls: [{ name: "Bash", id, arguments: { command: `echo ${word}`, description: `Says ${word}` } }],
      });
      provider.script([call("one"), call("two"), call("three"), { toolCalls: [], text: "All three." }]);
      const result = await agent.run("One after the other, please.", model);
      expect(result).toMatchObject({ is_error: false, result: "All three.", num_turns: 4 });
      expect(toolResults().map(({ content }) => String(content).trim())).toEqual(["one", "two", "three"]);
      const ids = toolResults().map(({ tool_call_id: each }) => each);
      expect([ids[0], new Set(ids).size]).toEqual([id, 3]);
    },
  );

  test("survives a stream that is cut in the middle of a response", async () => {
    provider.script([
      { chunks: 20, toolCalls: [], cut: { afterChunks: 8, with: "rst" } },
      { toolCalls: [], text: "Here is the whole answer." },
    ]);
    const result = await agent.run("Something long, please.", model);
    expect(result).toMatchObject({ is_error: false, result: "Here is the whole answer." });
    expect(requests().length).toBeGreaterThanOrEqual(2);
  });

  test("recovers when prompt and response together do not fit: it asks again for a shorter response", async () => {
    const message =
      "This model's maximum context length is 128000 tokens. However, you requested 136384 tokens " +
      "(120000 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.";
    provider.script([
      {
        status: 400,
        body: { error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" } },
      },
      { toolCalls: [], text: "Shorter, then." },
    ]);
    const result = await agent.run("A very long story, please.", model);
    expect(result).toMatchObject({ is_error: false, result: "Shorter, then." });
    const [first, second] = requests();
    expect(second?.max_tokens).toBeLessThan(first?.max_tokens ?? 0);
    expect(second?.max_tokens).toBeLessThanOrEqual(28_000);
  });

  test("stops on a refusal, without asking again", async () => {
    provider.script([{ toolCalls: [], text: "", refusal: "I can't help with that.", finishReason: "content_filter" }]);
    const result = await agent.run("Something bad, please.", model);
    expect(result.stop_reason).toBe("refusal");
    expect(provider.requests).toHaveLength(1);
  });
});
