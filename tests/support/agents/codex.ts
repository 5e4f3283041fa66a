import { mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProgram } from "./install-agent.ts";

/** The folders of the package are named after Rust's targets. */
const targets: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};
const machine = `${process.platform}-${process.arch}`;
export const codexProgram = new AgentProgram(
  "codex",
  "@openai/codex",
  `@openai/codex-${machine}/vendor/${targets[machine] ?? "none"}/bin/codex`,
);
const runMsMax = 50_000;

type CodexItem = { readonly type: string; readonly text?: string; readonly [field: string]: unknown };
type CodexUsage = {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
};

/** What a run of the agent reported. */
export type CodexResult = {
  readonly exitCode: number;
  readonly items: readonly CodexItem[];
  /** The agent's last message. */
  readonly text: string | null;
  readonly usage: CodexUsage | null;
  readonly errors: readonly string[];
};

/** An agent with its own home and project folder, whose model calls go to `baseUrl`. */
export class Codex {
  readonly project: string;
  readonly #root: string;
  readonly #env: Record<string, string>;

  private constructor(root: string, apiKey: string) {
    this.#root = root;
    this.project = join(root, "project");
    mkdirSync(this.project);
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      CODEX_HOME: join(root, "home"),
      GATEWAY_API_KEY: apiKey,
    };
  }

  static async create(baseUrl: string, apiKey: string): Promise<Codex> {
    const root = await mkdtemp(join(tmpdir(), "sluice-agent-"));
    const agent = new Codex(root, apiKey);
    mkdirSync(join(root, "home"));
    await writeFile(join(root, "home", "config.toml"), configOf(baseUrl));
    return agent;
  }

  /** Runs one prompt to its end, with all permissions. Further arguments come before the prompt. */
  async run(prompt: string, model: string, { isResumed = false, images = [] as readonly string[] } = {}) {
    const child = Bun.spawn(
      [
        ...[codexProgram.path, "exec"],
        ...(isResumed ? ["resume", "--last"] : []),
        ...["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model],
        ...images.flatMap((path) => ["-i", path]),
        ...["--", prompt],
      ],
      { cwd: this.project, env: this.#env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: runMsMax },
    );
    const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return readResult(output, errors, exitCode);
  }

  async close(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** Nothing but the calls of the model may leave the agent. */
const configOf = (baseUrl: string): string => `
model_provider = "sluice"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.sluice]
name = "Sluice"
base_url = "${baseUrl}"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"
`;

type CodexEvent = {
  readonly type: string;
  readonly item?: CodexItem;
  readonly usage?: CodexUsage;
  readonly message?: string;
  readonly error?: { readonly message: string };
};

function readResult(output: string, errors: string, exitCode: number): CodexResult {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length === 0) {
    throw new Error(`the agent said nothing: ${output.slice(-500)} ${errors.slice(-500)}`);
  }
  const events = lines.map((line) => JSON.parse(line) as CodexEvent);
  const items = events.flatMap(({ type, item }) => (type === "item.completed" && item !== undefined ? [item] : []));
  return {
    exitCode,
    items,
    text: items.findLast(({ type }) => type === "agent_message")?.text ?? null,
    usage: events.findLast(({ usage }) => usage !== undefined)?.usage ?? null,
    errors: events.flatMap(({ message, error }) => [message, error?.message].filter((text) => text !== undefined)),
  };
}
