import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { upstreamSettings } from "@sluice/contracts/upstreams";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { toCode } from "@sluice/web/src/console/pages/playground/as-code.ts";
import { exampleTabs } from "@sluice/web/src/site/docs/api/example-call.ts";
import { callOf, referenceEntries } from "@sluice/web/src/site/docs/api/reference.ts";
import { fillSnippet, type SnippetValues, snippetValues } from "@sluice/web/src/site/docs/fill-snippet.ts";
import { guideCalls } from "@sluice/web/src/site/docs/guides/guide-calls.ts";
import { addModelWithChannel } from "../support/calls/relay-scene.ts";
import { addNativeModel } from "../support/messages/native-models.ts";
import { describeUnless, testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { python, unlessPythonHas } from "../support/service/python.ts";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

const runMsMax = 180_000;
const said = "The example was answered.";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;
let folder = "";
let values: SnippetValues;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  user = await rig.addUser();
  await rig.db.sql`
    insert into messages_model (name, display_name, upstream_model, flags, released_at)
    values ('claude-sonnet-5-5', 'Claude Sonnet 5.5', 'gpt-4o-mini', '{}', '1970-01-01')`;
  // As an operator without any model would show them; what they name is then added.
  values = { ...snippetValues({ origin: "", models: [], messages_models: [] }), claude_model: "claude-native" };
  await addNativeModel(rig, { name: values.claude_model, providerUrl: provider.url });
  const { embedding_model, image_model, speech_model, transcription_model, rerank_model, moderation_model } = values;
  const others = [embedding_model, image_model, speech_model, transcription_model, rerank_model, moderation_model];
  for (const name of others) {
    await addModelWithChannel(rig, name, `${provider.url}/v1`);
  }
  await addModelWithChannel(rig, values.cohere_rerank_model, `${provider.url}/v1`);
  const cohere = { dialects: { cohere: { base_url: provider.url, auth: "bearer" } } };
  await rig.db.sql`
    update channel set upstream = ${JSON.stringify(upstreamSettings.parse(cohere))}::text::jsonb
    where name = ${`channel-${values.cohere_rerank_model}`}`;
  sluice = await rig.startProcess();
  values = { ...values, origin: sluice.url };
  provider.script({ text: said }, { times: "always" });
  // Within the tests, so that what the programs import is found.
  folder = await mkdtemp(join(import.meta.dir, "../.docs-examples-"));
  await symlink(join(import.meta.dir, "../node_modules"), join(folder, "node_modules"));
  await Promise.all(["lighthouse.png", "meeting.mp3"].map((name) => writeFile(join(folder, name), "content")));
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A request of the playground with everything that a language could take for its own. */
const playgroundBody = {
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: 'Quotes: \' " ` and """; a \\ and a $HOME, {{origin}}.' },
    { role: "user", content: "Two\nlines, \u{1F600}, and </script>." },
    {
      role: "assistant",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "12:00" },
  ],
  max_tokens: 64,
  temperature: 0.5,
  response_format: {
    type: "json_schema",
    json_schema: { name: "answer", strict: true, schema: { type: "object", additionalProperties: false } },
  },
};

type Example = { readonly name: string; readonly text: string };

/** The examples of the reference and the guides in a language, as they are shown. */
function examplesIn(language: string): Example[] {
  const calls = [
    ...referenceEntries.map((entry) => [entry.name, callOf(entry)] as const),
    ...Object.entries(guideCalls),
  ];
  const playground = toCode(playgroundBody, values.origin).filter(({ label }) => label === language);
  return [
    ...calls.flatMap(([name, call]) => {
      const tab = call === null ? undefined : exampleTabs(name, call).find(({ label }) => label === language);
      return tab === undefined ? [] : [{ name, text: fillSnippet(tab.text, values) }];
    }),
    ...playground.map(({ code }) => ({ name: "playground", text: code })),
  ];
}

/** What each example prints, by its name: one program runs them all, one after the other. */
async function runAll(
  examples: readonly Example[],
  extension: string,
  write: (files: readonly (readonly [name: string, file: string])[]) => {
    readonly command: string[];
    readonly text: string;
  },
): Promise<ReadonlyMap<string, string>> {
  const place = join(folder, extension);
  await mkdir(place);
  const files = examples.map(({ name }) => [name, join(place, `${name}.${extension}`)] as const);
  await Promise.all(examples.map((example, index) => writeFile(files[index]?.[1] ?? "", example.text)));
  const { command, text } = write(files);
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", GATEWAY_API_KEY: user.apiKey },
    stdin: new TextEncoder().encode(text),
    stdout: "pipe",
    stderr: "pipe",
    timeout: runMsMax,
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, errors: exitCode === 0 ? "" : `${errors} after ${output.slice(-200)}` }).toEqual({
    exitCode: 0,
    errors: "",
  });
  const last = provider.requests.at(-1)?.request.jsonObject;
  expect(last).toEqual(playgroundBody);
  const parts = output.split(/^=== (\w+)\n/m).slice(1);
  return new Map(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, (parts[index + 1] ?? "").trim()] as const] : [])),
  );
}

/** What is expected of the programs, which print one field. */
function expectPrinted(printed: ReadonlyMap<string, string>, examples: readonly Example[]): void {
  expect([...printed.keys()]).toEqual(examples.map(({ name }) => name));
  expect([...printed].filter(([name, text]) => text === "" && name !== "speech")).toEqual([]);
  for (const name of [
    "chat",
    "responses",
    "completions",
    "messages",
    "compat_messages",
    "vision",
    "structured",
    "playground",
  ]) {
    expect({ name, text: printed.get(name) }).toEqual({ name, text: said });
  }
  expect(printed.get("models")?.split("\n")).toContain(values.embedding_model);
  expect(printed.get("model")).toBe(values.model);
}

describeUnless(unlessInstalled("bash", "curl"), "in the shell", () => {
  test("every example is served, and its response has the fields of the one that is shown", async () => {
    const examples = examplesIn("curl");
    const printed = await runAll(examples, "sh", (files) => ({
      command: ["bash"],
      text: ["set -e", ...files.map(([name, file]) => `echo "=== ${name}"\n. "${file}"\necho`)].join("\n"),
    }));
    expect([...printed.keys()]).toEqual(examples.map(({ name }) => name));
    for (const { name, answer } of referenceEntries.filter((entry) => entry.answer !== null)) {
      const shown = formsOf(answer);
      const real = new Set(formsOf(JSON.parse(printed.get(name) ?? "null")));
      expect({ name, missing: shown.filter((form) => !real.has(form)) }).toEqual({ name, missing: [] });
    }
  });
});

test(
  "every example in TypeScript prints what it asks for",
  async () => {
    const examples = examplesIn("TypeScript");
    const printed = await runAll(examples, "ts", (files) => ({
      command: [process.execPath, "run", "-"],
      text: files
        .map(([name, file]) => `console.log("=== ${name}");\nawait import(${JSON.stringify(file)});`)
        .join("\n"),
    }));
    expectPrinted(printed, examples);
  },
  runMsMax,
);

testUnless(
  unlessPythonHas("openai", "anthropic"),
  "every example in Python prints what it asks for",
  async () => {
    const examples = examplesIn("Python");
    const printed = await runAll(examples, "py", (files) => ({
      command: [python, "-"],
      text: files
        .map(([name, file]) => `print("=== ${name}", flush=True)\nexec(open(${JSON.stringify(file)}).read(), {})`)
        .join("\n"),
    }));
    expectPrinted(printed, examples);
  },
  runMsMax,
);

/** The path of every field with the type of its value; the first item stands for a list. */
function formsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) {
    return [`${path}: list`, ...(value.length === 0 ? [] : formsOf(value[0], `${path}[]`))];
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => formsOf(each, `${path}.${name}`));
  }
  return value === null ? [] : [`${path}: ${typeof value}`];
}
