import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { Codex, codexProgram } from "../support/agents/codex.ts";
import { addModelWithChannel } from "../support/calls/relay-scene.ts";
import { describeUnless } from "../support/service/obstacles.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

/** The agent gives tools with free input only to models whose names it knows. */
const knownModel = "gpt-5.5";
const model = "open-model";
const messagesModel = "claude-opus-5";
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type ChatMessage = {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly unknown[];
};
type ChatRequest = {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
};

describeUnless(codexProgram.install(), "an agent, Codex 0.169.0, on providers without Responses", () => {
  let provider: SandboxProvider;
  let rig: SluiceRig;
  let user: TestUser;
  let sluice: SluiceProcess;
  let agent: Codex;

  beforeAll(async () => {
    provider = startSandboxProvider();
    rig = await SluiceRig.create(provider.url);
    user = await rig.addUser();
    for (const name of [knownModel, model, messagesModel, "thinker"]) {
      await addModelWithChannel(rig, name, `${provider.url}/v1`);
    }
    await rig.db.sql`update channel set upstream = upstream #- '{dialects,responses}'`;
    const messages = JSON.stringify({ messages: { base_url: provider.url, auth: "x_api_key" } });
    await rig.db.sql`
      update channel set upstream = jsonb_set(upstream, '{dialects}', ${messages}::text::jsonb)
      where name = ${`channel-${messagesModel}`}`;
    await rig.db.sql`
      update channel set upstream = jsonb_set(upstream, '{flags,reasoning_back}', 'true') where name = 'channel-thinker'`;
    sluice = await rig.startProcess();
  });

  beforeEach(async () => {
    provider.reset();
    agent = await Codex.create(`${sluice.url}/v1`, user.apiKey);
  });

  afterEach(async () => {
    await agent.close();
    expect(await rig.checkMoney()).toEqual([]);
  });

  afterAll(async () => {
    await rig.close();
    await provider.stop();
  });

  /** The last request's messages of a role. */
  const said = (role: string): readonly ChatMessage[] =>
    (requests().at(-1)?.messages ?? []).filter((message) => message.role === role);
  const requests = (): readonly ChatRequest[] => provider.requests.map((record) => record.json as ChatRequest);
  const toolNames = (): readonly string[] => (requests()[0]?.tools ?? []).map((tool) => tool.function.name);
  // Left to itself the sandbox would call every tool that the agent's instructions name, hence the empty `toolCalls`.
  const saying = (text: string) => ({ toolCalls: [], text });

  test("runs commands in parallel: their output reaches the model with the calls", async () => {
    const run = (id: string, cmd: string) => ({ name: "exec_command", id, arguments: { cmd } });
    provider.script([
      { reasoning: "Two at once.", toolCalls: [run("call_a", "echo tide"), run("call_b", "echo noon; exit 3")] },
      saying("It turns at noon."),
    ]);
    const result = await agent.run("When does the tide turn?", model);
    expect(result).toMatchObject({ exitCode: 0, text: "It turns at noon.", errors: [] });
    expect(result.items.map(({ type, text }) => [type, text])).toContainEqual(["reasoning", "Two at once."]);
    expect(said("assistant")).toMatchObject([{ tool_calls: [{ id: "call_a" }, { id: "call_b" }] }]);
    expect(said("tool")).toMatchObject([
      { tool_call_id: "call_a", content: expect.stringContaining("tide") },
      { tool_call_id: "call_b", content: expect.stringContaining("code 3") },
    ]);
    // Prefix caches depend on it: earlier messages are repeated in the same bytes.
    const [first, second] = requests();
    expect(second?.messages.slice(0, first?.messages.length)).toEqual([...(first?.messages ?? [])]);
    expect(second?.tools).toEqual([...(first?.tools ?? [])]);
    expect(provider.requests.map(({ target }) => target)).toEqual(Array(2).fill("/v1/chat/completions"));
  });

  test("edits files by a tool with free input", async () => {
    const input = '*** Begin Patch\n*** Add File: note.txt\n+the "tide" turns\n*** End Patch\n';
    provider.script([{ toolCalls: [{ name: "apply_patch", id: "call_1", arguments: { input } }] }, saying("Done.")]);
    expect(await agent.run("Write a note.", knownModel)).toMatchObject({ text: "Done.", errors: [] });
    expect(await readFile(join(agent.project, "note.txt"), "utf8")).toBe('the "tide" turns\n');
    expect(said("assistant")).toMatchObject([
      { tool_calls: [{ function: { name: "apply_patch", arguments: JSON.stringify({ input }) } }] },
    ]);
    expect(said("tool")).toMatchObject([{ tool_call_id: "call_1", content: expect.stringContaining("note.txt") }]);
  });

  test("calls a tool of a namespace", async () => {
    const name = "multi_agent_v1__wait_agent";
    provider.script([{ toolCalls: [{ name, id: "call_1", arguments: { targets: [] } }] }, saying("Nobody.")]);
    expect(await agent.run("Wait.", model)).toMatchObject({ text: "Nobody.", errors: [] });
    expect(toolNames()).toContain(name);
    expect(said("tool")).toMatchObject([
      { tool_call_id: "call_1", content: expect.not.stringMatching(/unsupported|incompatible/) },
    ]);
  });

  test("searches for tools", async () => {
    provider.script([
      { toolCalls: [{ name: "tool_search", id: "call_1", arguments: { query: "agents" } }] },
      saying("Found."),
    ]);
    expect(await agent.run("Find a tool.", knownModel)).toMatchObject({ text: "Found.", errors: [] });
    // What was found can be called from then on.
    const found = "multi_agent_v1__wait_agent";
    expect(toolNames()).not.toContain(found);
    expect((requests()[1]?.tools ?? []).map((tool) => tool.function.name)).toContain(found);
    expect(said("tool")).toMatchObject([{ tool_call_id: "call_1", content: expect.stringContaining(found) }]);
  });

  test("looks at an image, and continues with a conversation", async () => {
    const path = join(agent.project, "a.png");
    await writeFile(path, Buffer.from(picture, "base64"));
    provider.script([
      { toolCalls: [{ name: "view_image", id: "call_1", arguments: { path } }] },
      saying("A dot."),
      saying("Still a dot."),
    ]);
    expect(await agent.run("What is it?", model, { images: [path] })).toMatchObject({ text: "A dot.", errors: [] });
    const seen = [{ type: "text" }, { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }];
    expect(requests().at(-1)?.messages.slice(-3)).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "call_1" },
      { role: "user", content: seen },
    ]);
    expect(await agent.run("And now?", model, { isResumed: true })).toMatchObject({ text: "Still a dot." });
    expect(requests().at(-1)?.messages.slice(-2)).toEqual([
      { role: "assistant", content: "A dot." },
      { role: "user", content: "And now?" },
    ]);
  });

  test("gets its reasoning back to a provider that wants it", async () => {
    provider.script([
      { reasoning: "Let me look.", toolCalls: [{ name: "exec_command", id: "call_1", arguments: { cmd: "true" } }] },
      saying("Seen."),
    ]);
    expect(await agent.run("Look.", "thinker")).toMatchObject({ text: "Seen.", errors: [] });
    expect(said("assistant")).toMatchObject([{ reasoning_content: "Let me look." }]);
  });

  test("works on a provider of Messages, with signed reasoning", async () => {
    const call = { name: "exec_command", id: "toolu_1", arguments: { cmd: "echo tide" } };
    provider.script([{ reasoning: "Let me look.", toolCalls: [call] }, saying("It said tide.")]);
    const result = await agent.run("Run echo.", messagesModel);
    expect(result).toMatchObject({ text: "It said tide.", errors: [] });
    // The provider checks the signature.
    expect(said("assistant")).toMatchObject([
      {
        content: [
          { type: "thinking", thinking: "Let me look.", signature: expect.any(String) },
          { type: "tool_use", id: "toolu_1", input: { cmd: "echo tide" } },
        ],
      },
    ]);
    expect(provider.requests.map(({ target }) => target)).toEqual(Array(2).fill("/v1/messages"));
  });

  test("gives a signed call back as the provider sent it", async () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const target = { name: "exec_command", arguments: '{"cmd":"true"}' };
    const call = { index: 0, id: "call_1", type: "function", function: target, extra_content };
    const events = [
      { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      "[DONE]",
    ];
    provider.script([{ events }, saying("Done.")]);
    expect(await agent.run("Run it.", model)).toMatchObject({ text: "Done.", errors: [] });
    expect(said("assistant")).toMatchObject([{ tool_calls: [{ id: "call_1", extra_content }] }]);
  });

  test("summarizes a conversation that no longer fits, and continues with it", async () => {
    const call = { name: "exec_command", id: "call_1", arguments: { cmd: "true" } };
    provider.script([
      { toolCalls: [call], tokens: { prompt: 400_000, completion: 10 } },
      saying("The command worked."),
      saying("Done."),
    ]);
    expect(await agent.run("A long task, please.", knownModel)).toMatchObject({ text: "Done.", errors: [] });
    expect(provider.requests).toHaveLength(3);
    expect(said("user").at(-1)).toMatchObject({ content: expect.stringContaining("The command worked.") });
    expect(said("tool")).toEqual([]);
  });

  test("survives a stream that is cut, and a provider that is busy", async () => {
    provider.script([
      { chunks: 20, toolCalls: [], cut: { afterChunks: 8, with: "rst" } },
      { status: 429, retryAfter: 0 },
      saying("Here is all of it."),
    ]);
    const result = await agent.run("Something long, please.", model);
    expect(result).toMatchObject({ exitCode: 0, text: "Here is all of it." });
  });

  test("shows an error of the provider", async () => {
    const message = "The model does not like this.";
    provider.script([
      { status: 400, body: { error: { message, type: "invalid_request_error", param: null, code: "x" } } },
    ]);
    const result = await agent.run("Something bad, please.", model);
    expect(result.exitCode).toBe(1);
    expect(result.errors.join(" ")).toContain(message);
    // It is not repeated.
    expect(provider.requests).toHaveLength(1);
  });
});
