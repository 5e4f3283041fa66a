import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProgram } from "./install-agent.ts";

export const opencodeProgram = new AgentProgram(
  "opencode",
  "opencode-ai",
  `opencode-${process.platform}-${process.arch}/bin/opencode`,
);
const runMsMax = 80_000;

/** The packages of the AI SDK with which the agent reaches a provider; it brings them along. */
export type OpencodePackage = "@ai-sdk/openai-compatible" | "@ai-sdk/openai" | "@ai-sdk/anthropic" | "@ai-sdk/google";

export type OpencodeOptions = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly package: OpencodePackage;
  readonly model: string;
};

type OpencodeEvent = {
  readonly type: string;
  readonly part?: { readonly text?: string; readonly tool?: string };
  readonly error?: unknown;
};

/** An agent with its own home and project folder, whose model calls go to `baseUrl`. */
export class Opencode {
  readonly project: string;
  readonly #root: string;
  readonly #apiKey: string;

  private constructor(root: string, apiKey: string) {
    this.#root = root;
    this.#apiKey = apiKey;
    this.project = join(root, "project");
    mkdirSync(join(root, "home"));
    mkdirSync(this.project);
  }

  static async create(options: OpencodeOptions): Promise<Opencode> {
    const agent = new Opencode(await mkdtemp(join(tmpdir(), "sluice-agent-")), options.apiKey);
    await Bun.write(join(agent.project, "opencode.json"), JSON.stringify(configOf(options)));
    return agent;
  }

  /** Runs one prompt to its end, with all permissions. */
  async run(prompt: string, { files = [] as readonly string[] } = {}) {
    const child = Bun.spawn(
      [
        opencodeProgram.path,
        "run",
        "--format",
        "json",
        "--thinking",
        ...files.flatMap((file) => ["-f", file]),
        "--",
        prompt,
      ],
      {
        cwd: this.project,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: join(this.#root, "home"),
          GATEWAY_API_KEY: this.#apiKey,
          // Nothing but the calls of the model may leave the agent.
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
          OPENCODE_DISABLE_MODELS_FETCH: "1",
        },
        ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: runMsMax },
      },
    );
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const lines = output.split("\n").filter((line) => line.startsWith("{"));
    if (lines.length === 0) {
      throw new Error(`the agent said nothing: ${output.slice(-500)} ${errors.slice(-500)}`);
    }
    const events = lines.map((line) => JSON.parse(line) as OpencodeEvent);
    const partsOf = (type: string) => events.flatMap((event) => (event.type === type ? [event.part ?? {}] : []));
    return {
      text: partsOf("text").at(-1)?.text ?? null,
      reasoning: partsOf("reasoning").map(({ text = "" }) => text),
      tools: partsOf("tool_use").map(({ tool = "" }) => tool),
      errors: events.flatMap(({ error }) => (error === undefined ? [] : [JSON.stringify(error)])),
    };
  }

  async close(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

function configOf({ baseUrl, package: npm, model }: OpencodeOptions): object {
  const abilities = { reasoning: true, tool_call: true, attachment: true };
  const modalities = { input: ["text", "image"], output: ["text"] };
  return {
    ...{ model: `sluice/${model}`, small_model: `sluice/${model}`, share: "disabled", autoupdate: false },
    permission: { "*": "allow" },
    provider: {
      sluice: {
        ...{ npm, name: "Sluice", options: { baseURL: baseUrl, apiKey: "{env:GATEWAY_API_KEY}" } },
        models: { [model]: { ...abilities, modalities, limit: { context: 128_000, output: 16_384 } } },
      },
    },
  };
}
