/** The agents of the cross table: programs that have a whole session by themselves. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClaudeCode, claudeCodeProgram } from "../agents/claude-code.ts";
import { Codex, codexProgram } from "../agents/codex.ts";
import { GeminiCli, geminiCliProgram } from "../agents/gemini-cli.ts";
import type { AgentProgram } from "../agents/install-agent.ts";
import { Opencode, type OpencodePackage, opencodeProgram } from "../agents/opencode.ts";
import { type Ask, type ClientFacts, picture } from "./model.ts";

/** How a session went, in the words of the agent. */
export type Session = { readonly text: string | null; readonly errors: readonly string[] };
type ToolCall = { readonly name: string; readonly arguments: Readonly<Record<string, string>> };

export type Agent = ClientFacts & {
  readonly program: AgentProgram;
  /** The call of its shell. */
  readonly shell: (command: string) => ToolCall;
  /** The call with which it looks at a file, for an agent that is given no pictures. */
  readonly look?: (file: string) => ToolCall;
  /** It asks for thinking by itself, and gets some before each call, as from a real provider. */
  readonly isThinking?: boolean;
  /** Runs a session; a picture is in the project as `a.png`. */
  readonly session: (ask: Ask) => Promise<Session & { readonly project: string }>;
};

const cannot = { whole: "it only streams" };
const pictureName = "a.png";
const writePicture = async (project: string): Promise<string> => {
  const path = join(project, pictureName);
  await writeFile(path, Buffer.from(picture, "base64"));
  return path;
};

const claudeCode = (name: string, basePath: string): Agent => ({
  ...{ name, dialect: "messages", family: "claude-sonnet-4-5", cannot, program: claudeCodeProgram },
  isThinking: true,
  shell: (command) => ({ name: "Bash", arguments: { command, description: "Says it" } }),
  look: (file_path) => ({ name: "Read", arguments: { file_path } }),
  session: async ({ origin, apiKey, model, prompt }) => {
    const agent = await ClaudeCode.create(`${origin}${basePath}`, apiKey);
    try {
      await writePicture(agent.project);
      const { result, is_error } = await agent.run(prompt, model);
      return { text: result, errors: is_error ? [result] : [], project: agent.project };
    } finally {
      await agent.close();
    }
  },
});

const codex: Agent = {
  ...{ name: "Codex", dialect: "responses", family: "gpt-5.5", cannot, program: codexProgram },
  shell: (cmd) => ({ name: "exec_command", arguments: { cmd } }),
  session: async ({ origin, apiKey, model, prompt, theme }) => {
    const agent = await Codex.create(`${origin}/v1`, apiKey);
    try {
      const path = await writePicture(agent.project);
      const { text, errors } = await agent.run(prompt, model, { images: theme === "images" ? [path] : [] });
      // A model whose facts it does not know is worth a warning to it.
      return { text, errors: text === null ? errors : [], project: agent.project };
    } finally {
      await agent.close();
    }
  },
};

type OpencodeFacts = Pick<Agent, "name" | "dialect" | "family"> & {
  readonly package: OpencodePackage;
  readonly basePath: string;
};

const opencode = ({ package: npm, basePath, ...facts }: OpencodeFacts): Agent => ({
  ...{ ...facts, cannot, program: opencodeProgram },
  shell: (command) => ({ name: "bash", arguments: { command, description: "Says it" } }),
  session: async ({ origin, apiKey, model, prompt, theme }) => {
    const agent = await Opencode.create({ baseUrl: `${origin}${basePath}`, apiKey, package: npm, model });
    try {
      const path = await writePicture(agent.project);
      const { text, errors } = await agent.run(prompt, { files: theme === "images" ? [path] : [] });
      return { text, errors, project: agent.project };
    } finally {
      await agent.close();
    }
  },
});

const geminiCli: Agent = {
  ...{ name: "Gemini CLI", dialect: "gemini", family: "gemini-3-pro", cannot, program: geminiCliProgram },
  shell: (command) => ({ name: "run_shell_command", arguments: { command } }),
  session: async ({ origin, apiKey, model, prompt, theme }) => {
    const agent = await GeminiCli.create(origin, apiKey);
    try {
      await writePicture(agent.project);
      const asked = theme === "images" ? `${prompt} @${pictureName}` : prompt;
      const { response = null, error } = await agent.run(asked, model);
      return { text: response, errors: error === undefined ? [] : [error.message], project: agent.project };
    } finally {
      await agent.close();
    }
  },
};

export const agents: readonly Agent[] = [
  claudeCode("Claude Code", ""),
  claudeCode("Claude Code, /msgcompat", "/msgcompat"),
  codex,
  opencode({
    ...{ name: "opencode, openai-compatible", dialect: "chat", family: "gpt-5.5" },
    ...{ package: "@ai-sdk/openai-compatible", basePath: "/v1" },
  }),
  opencode({
    ...{ name: "opencode, openai", dialect: "responses", family: "gpt-5.5" },
    ...{ package: "@ai-sdk/openai", basePath: "/v1" },
  }),
  opencode({
    ...{ name: "opencode, anthropic", dialect: "messages", family: "claude-sonnet-4-5" },
    ...{ package: "@ai-sdk/anthropic", basePath: "/v1" },
  }),
  geminiCli,
];
