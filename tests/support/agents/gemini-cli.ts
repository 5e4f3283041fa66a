import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProgram } from "./install-agent.ts";

const packageName = "@google/gemini-cli";
export const geminiCliProgram = new AgentProgram("gemini-cli", packageName, `${packageName}/bundle/gemini.js`);
const runMsMax = 80_000;

/** The agent's output with `-o json`. */
export type GeminiCliResult = {
  readonly response?: string;
  readonly error?: { readonly message: string };
  readonly stats?: { readonly tools: { readonly totalSuccess: number } };
};

/** Nothing but the calls of the model may leave the agent. */
const settings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

/** An agent with its own home and project folder, whose model calls go to `baseUrl`. */
export class GeminiCli {
  readonly project: string;
  readonly #root: string;
  readonly #env: Record<string, string>;

  private constructor(root: string, baseUrl: string, apiKey: string) {
    this.#root = root;
    this.project = join(root, "project");
    mkdirSync(join(root, "home", ".gemini"), { recursive: true });
    mkdirSync(this.project);
    this.#env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(root, "home"),
      GOOGLE_GEMINI_BASE_URL: baseUrl,
      GEMINI_API_KEY: apiKey,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // Otherwise it starts itself again with more memory.
      GEMINI_CLI_NO_RELAUNCH: "true",
    };
  }

  static async create(baseUrl: string, apiKey: string): Promise<GeminiCli> {
    const root = await mkdtemp(join(tmpdir(), "sluice-agent-"));
    const agent = new GeminiCli(root, baseUrl, apiKey);
    await Bun.write(join(root, "home", ".gemini", "settings.json"), JSON.stringify(settings));
    return agent;
  }

  /** Runs one prompt to its end, with all permissions. */
  async run(prompt: string, model: string): Promise<GeminiCliResult> {
    const child = Bun.spawn(
      [process.execPath, geminiCliProgram.path, "-m", model, "--yolo", "-o", "json", "-p", prompt],
      { cwd: this.project, env: this.#env, stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: runMsMax },
    );
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    // An error is written to the other stream.
    const json = [output, errors]
      .map((text) => text.slice(Math.max(0, text.indexOf("\n{") + 1)))
      .find((text) => text.startsWith("{"));
    if (json === undefined) {
      throw new Error(`the agent said nothing: ${output.slice(-500)} ${errors.slice(-500)}`);
    }
    return JSON.parse(json) as GeminiCliResult;
  }

  async close(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}
