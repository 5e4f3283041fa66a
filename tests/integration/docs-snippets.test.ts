import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { upstreamSettings } from "@sluice/contracts/upstreams";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { fillSnippet, snippetValues } from "@sluice/web/src/site/docs/fill-snippet.ts";
import { type SnippetName, snippetNames } from "@sluice/web/src/site/docs/snippet-names.ts";
import { addModelWithChannel } from "../support/calls/relay-scene.ts";
import { describeUnless, testUnless, unlessFull, unlessInstalled } from "../support/service/obstacles.ts";
import { python, unlessPython, unlessPythonHas } from "../support/service/python.ts";
import { liteLlmEnvironment } from "../support/service/python-environment.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

const folder = join(import.meta.dir, "../../web/src/site/docs/snippets");
const runMsMax = 60_000;
const said = "The snippet was answered.";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
  await rig.db.sql`
    insert into messages_model (name, display_name, upstream_model, flags, released_at)
    values ('claude-sonnet-5-5', 'Claude Sonnet 5.5', 'gpt-4o-mini', '{}', '1970-01-01')`;
  await addModelWithChannel(rig, "gemini-3-pro", `${provider.url}/v1`);
  const gemini = { dialects: { gemini: { base_url: provider.url, auth: "x_goog_api_key" } } };
  const upstream = JSON.stringify(upstreamSettings.parse(gemini));
  await rig.db.sql`update channel set upstream = ${upstream}::text::jsonb where name = 'channel-gemini-3-pro'`;
  sluice = await rig.startProcess();
  provider.script({ text: said }, { times: "always" });
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

/** A snippet as the docs show it for this program. */
async function shown(name: SnippetName): Promise<string> {
  const catalogue = { origin: sluice.url, models: [], messages_models: ["claude-sonnet-5-5"] };
  return fillSnippet(await Bun.file(join(folder, `${name}.txt`)).text(), snippetValues(catalogue));
}

/** What a program prints for a text on its standard input. */
async function run(command: readonly string[], text: string): Promise<string> {
  const child = Bun.spawn([...command], {
    // The packages that the snippets import are those of the tests.
    cwd: join(import.meta.dir, ".."),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", GATEWAY_API_KEY: user.apiKey },
    stdin: new TextEncoder().encode(text),
    stdout: "pipe",
    stderr: "pipe",
    timeout: runMsMax,
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, errors: exitCode === 0 ? "" : errors }).toEqual({ exitCode: 0, errors: "" });
  return output;
}

/** The text in the pieces of the stream. */
function textOfEvents(events: string): string {
  return [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(([, json = ""]) => (JSON.parse(json) as Chunk).choices[0]?.delta?.content ?? "")
    .join("");
}
type Chunk = { readonly choices: readonly { readonly delta?: { readonly content?: string | null } }[] };

test("every snippet is a file, and every file is a snippet", () => {
  expect(readdirSync(folder).sort()).toEqual(snippetNames.map((name) => `${name}.txt`).sort());
});

describeUnless(unlessInstalled("bash", "curl"), "in the shell", () => {
  test.each(["curl-chat", "curl-messages"] as const)("%s prints the response", async (name) => {
    expect(await run(["bash"], await shown(name))).toContain(said);
  });

  test("curl-tags names the end user and the tags of its usage", async () => {
    expect(await run(["bash"], await shown("curl-tags"))).toContain(said);
    const find = () => rig.db.sql`select end_user, tags from usage_log where end_user is not null`;
    while ((await find()).length === 0) {
      await rig.db.sql`select pg_sleep(0.05)`;
    }
    expect(await find()).toEqual([{ end_user: "customer-1042", tags: ["team=search", "feature=chat"] }]);
  });

  test("curl-stream prints the response in pieces, to its end", async () => {
    const events = await run(["bash"], await shown("curl-stream"));
    expect(textOfEvents(events)).toBe(said);
    expect(events.trimEnd().endsWith("data: [DONE]")).toBe(true);
  });

  test("curl-models lists the model that the others ask for", async () => {
    const list = JSON.parse(await run(["bash"], await shown("curl-models"))) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toContain("gpt-4o-mini");
  });
});

test.each(["openai-typescript", "anthropic-typescript", "vercel-ai-sdk", "langchain-typescript"] as const)(
  "%s prints the response",
  async (name) => {
    expect((await run([process.execPath, "run", "-"], await shown(name))).trim()).toBe(said);
  },
  runMsMax,
);

/** The model asks for the tool, and says its text when it has the result. */
async function runWithTool(command: readonly string[], name: SnippetName): Promise<void> {
  provider.reset();
  provider.script({ toolCalls: [{ name: "get_weather", arguments: { city: "Paris" } }] });
  provider.script({ text: said }, { times: "always" });
  expect((await run(command, await shown(name))).trim()).toBe(said);
  const second = await provider.waitForRequest(1);
  expect(JSON.stringify(second.json)).toContain("22 degrees and sunny in Paris");
}

test(
  "tools-typescript runs the tool that the model asks for",
  () => runWithTool([process.execPath, "run", "-"], "tools-typescript"),
  runMsMax,
);

testUnless(
  unlessPythonHas("openai"),
  "tools-python runs the tool that the model asks for",
  () => runWithTool([python, "-"], "tools-python"),
  runMsMax,
);

describe.each([
  ["openai-python", "openai"],
  ["anthropic-python", "anthropic"],
  ["langchain-python", "langchain_openai"],
] as const)("%s", (name, needed) => {
  testUnless(unlessPython, "is Python", async () => {
    const parse = "import ast, sys; ast.parse(sys.argv[1])";
    await run([python, "-c", parse, await shown(name)], "");
  });

  testUnless(unlessPythonHas(needed), "prints the answer", async () => {
    expect((await run([python, "-"], await shown(name))).trim()).toBe(said);
  });
});

describe("litellm-python", () => {
  testUnless(unlessPython, "is Python", async () => {
    const parse = "import ast, sys; ast.parse(sys.argv[1])";
    await run([python, "-c", parse, await shown("litellm-python")], "");
  });

  testUnless(unlessFull ?? liteLlmEnvironment.install(), "prints the answer", async () => {
    expect((await run([liteLlmEnvironment.python, "-"], await shown("litellm-python"))).trim()).toBe(said);
  });
});

describe("the settings of agents", () => {
  /** Sends a request like an agent with these settings. */
  async function ask(baseUrl: string, path: string, body: object): Promise<string> {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return `${answer.status} ${await answer.text()}`;
  }
  const messages = [{ role: "user", content: "Say hello." }];

  test("for Claude Code name an address that speaks the Messages API, and their check names a model that it has", async () => {
    const { env } = JSON.parse(await shown("claude-code-settings")) as { env: Record<string, string> };
    expect(Object.keys(env)).toEqual(["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"]);
    const [, model] = /--model (\S+)/.exec(await shown("claude-code-check")) ?? [];
    const answer = await ask(env["ANTHROPIC_BASE_URL"] ?? "", "/v1/messages", { model, max_tokens: 50, messages });
    expect(answer).toStartWith("200 ");
    expect(answer).toContain(said);
  });

  test("for Codex are TOML and name an address that speaks the Responses API", async () => {
    const config = Bun.TOML.parse(await shown("codex-config")) as {
      model: string;
      model_provider: string;
      model_context_window: number;
      model_providers: Record<string, { base_url: string; env_key: string; wire_api: string }>;
    };
    const chosen = config.model_providers[config.model_provider];
    expect(chosen).toMatchObject({ env_key: "GATEWAY_API_KEY", wire_api: "responses" });
    expect(config.model_context_window).toBe(128_000);
    const answer = await ask(chosen?.base_url ?? "", "/responses", { model: config.model, input: "Say hello." });
    expect(answer).toStartWith("200 ");
    expect(answer).toContain(said);
  });

  test("for opencode are JSON and name a provider and a model of it that responds", async () => {
    const config = JSON.parse(await shown("opencode-config")) as {
      model: string;
      provider: Record<string, { options: { baseURL: string; apiKey: string }; models: Record<string, unknown> }>;
    };
    const [name = "", model = ""] = config.model.split("/");
    const chosen = config.provider[name];
    expect(Object.keys(chosen?.models ?? {})).toEqual([model]);
    expect(chosen?.options.apiKey).toBe("{env:GATEWAY_API_KEY}");
    expect(await ask(chosen?.options.baseURL ?? "", "/chat/completions", { model, messages })).toContain(said);
    expect(await shown("opencode-check")).toContain(`--model "${config.model}"`);
  });

  test("for Gemini CLI name an address that speaks the Gemini API, and their check names a model that it has", async () => {
    const lines = (await shown("gemini-cli-settings")).split("\n").map((line) => line.split("=", 2));
    const { GOOGLE_GEMINI_BASE_URL: address = "", ...rest } = Object.fromEntries(lines) as Record<string, string>;
    expect(Object.keys(rest)).toEqual(["GEMINI_API_KEY"]);
    const [, model] = /-m "(\S+)"/.exec(await shown("gemini-cli-check")) ?? [];
    const contents = [{ role: "user", parts: [{ text: "Say hello." }] }];
    const answer = await ask(address, `/v1beta/models/${model}:generateContent`, { contents });
    expect(answer).toStartWith("200 ");
    expect(answer).toContain(said);
  });

  test("for Continue are YAML and name an address and a model that respond", async () => {
    const { models } = Bun.YAML.parse(await shown("continue-config")) as {
      models: { provider: string; model: string; apiBase: string; defaultCompletionOptions: object }[];
    };
    const [chosen] = models;
    expect(chosen).toMatchObject({ provider: "openai", defaultCompletionOptions: { contextLength: 128_000 } });
    const answer = await ask(chosen?.apiBase ?? "", "/chat/completions", { model: chosen?.model, messages });
    expect(answer).toStartWith("200 ");
    expect(answer).toContain(said);
  });

  test.each([
    ["cline-settings", "Base URL", "Model ID"],
    ["cursor-settings", "Override OpenAI Base URL", "Add model"],
  ] as const)("for %s name an address and a model that respond", async (name, urlField, modelField) => {
    const lines = (await shown(name)).split("\n").map((line) => line.split(": ", 2) as [string, string]);
    const fields = Object.fromEntries(lines);
    const answer = await ask(fields[urlField] ?? "", "/chat/completions", { model: fields[modelField], messages });
    expect(answer).toStartWith("200 ");
    expect(answer).toContain(said);
  });
});
