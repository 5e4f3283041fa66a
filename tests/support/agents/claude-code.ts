import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProgram } from "./install-agent.ts";

const packageName = "@anthropic-ai/claude-code";
export const claudeCodeProgram = new AgentProgram(
  "claude-code",
  packageName,
  `${packageName}-${process.platform}-${process.arch}/claude`,
);
const runMsMax = 50_000;

/** The agent's final output with `--output-format json`. */
export type AgentResult = {
  readonly is_error: boolean;
  readonly subtype: string;
  readonly result: string;
  readonly num_turns: number;
  readonly stop_reason: string | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
  };
};

/** An agent with its own home and project folder, whose model calls go to `baseUrl`. */
export class ClaudeCode {
  readonly project: string;
  readonly #root: string;
  readonly #env: Record<string, string>;

  private constructor(root: string, baseUrl: string, apiKey: string) {
    this.#root = root;
    this.project = join(root, "project");
    mkdirSync(join(root, "home"));
    mkdirSync(this.project);
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(root, "home"),
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: apiKey,
      // Nothing but the calls of the model may leave the agent.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    };
  }

  static async create(baseUrl: string, apiKey: string): Promise<ClaudeCode> {
    return new ClaudeCode(await mkdtemp(join(tmpdir(), "sluice-agent-")), baseUrl, apiKey);
  }

  /** Runs one prompt to its end, with permission to read files and to run commands. */
  async run(prompt: string, model: string, turnsMax = 8): Promise<AgentResult> {
    const child = Bun.spawn(
      [
        claudeCodeProgram.path,
        "-p",
        prompt,
        "--output-format",
        "json",
        "--model",
        model,
        "--allowedTools",
        "Bash,Read",
        "--max-turns",
        String(turnsMax),
      ],
      { cwd: this.project, env: this.#env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: runMsMax },
    );
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const line = output.trim().split("\n").at(-1) ?? "";
    if (!line.startsWith("{")) {
      throw new Error(`the agent said no result: ${output.slice(-500)} ${errors.slice(-500)}`);
    }
    return JSON.parse(line) as AgentResult;
  }

  async close(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}
