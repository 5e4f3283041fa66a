import { fill } from "../../../i18n/messages.ts";
import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import { snippetValues } from "../../docs/fill-snippet.ts";
import type { DocTexts } from "../../docs/messages/en.ts";
import type { DocBlock, DocSection } from "../../docs/model.ts";
import type { SnippetName } from "../../docs/snippet-names.ts";

type Agent = {
  readonly id: string;
  /** A name that no language translates. */
  readonly title: string;
  readonly steps: readonly string[];
  readonly settings: SnippetName;
  /** The command, or null for an agent that is installed by clicking. */
  readonly command: SnippetName | null;
  readonly check: string;
  readonly limit: string;
  readonly undo: string;
};

/** `/docs/agents/`: each coding agent, in reversible steps. */
export const docsAgentsPage = docPage({
  path: "/docs/agents/",
  updatedOn: "2026-11-23",
  name: docNames["/docs/agents/"],
  content: (texts, { catalogue, formats }) => ({
    title: texts.agents.title,
    lead: texts.agents.lead,
    sections: [
      {
        id: "before",
        title: texts.clients.before,
        blocks: [
          { kind: "text", text: texts.agents.keyText },
          { kind: "snippet", name: "environment" },
        ],
      },
      ...agents(texts.agents, formats.number(snippetValues(catalogue).context_tokens)).map((agent) =>
        agentSection(agent, texts.frame),
      ),
      {
        id: "tested",
        title: texts.frame.limits,
        blocks: [{ kind: "text", text: texts.agents.notRun }],
      },
    ],
  }),
});

function agentSection(agent: Agent, texts: DocTexts["frame"]): DocSection {
  const command: DocBlock[] = agent.command === null ? [] : [{ kind: "snippet", name: agent.command }];
  return {
    id: agent.id,
    title: agent.title,
    blocks: [
      { kind: "steps", items: agent.steps },
      { kind: "snippet", name: agent.settings },
      { kind: "heading", text: texts.check },
      ...command,
      { kind: "text", text: agent.check },
      { kind: "heading", text: texts.limits },
      { kind: "text", text: agent.limit },
      { kind: "heading", text: texts.undo },
      { kind: "text", text: agent.undo },
    ],
  };
}

function agents(texts: DocTexts["agents"], context: string): Agent[] {
  return [
    {
      id: "claude-code",
      title: "Claude Code",
      steps: Object.values(texts.claude),
      settings: "claude-code-settings",
      command: "claude-code-check",
      check: texts.checkText,
      limit: texts.claudeLimit,
      undo: texts.claudeUndo,
    },
    {
      id: "codex",
      title: "Codex",
      steps: Object.values(texts.codex),
      settings: "codex-config",
      command: "codex-check",
      check: texts.checkText,
      limit: texts.codexLimit,
      undo: texts.codexUndo,
    },
    {
      id: "opencode",
      title: "opencode",
      steps: Object.values(texts.opencode),
      settings: "opencode-config",
      command: "opencode-check",
      check: texts.checkText,
      limit: texts.opencodeLimit,
      undo: texts.opencodeUndo,
    },
    {
      id: "gemini-cli",
      title: "Gemini CLI",
      steps: Object.values(texts.gemini),
      settings: "gemini-cli-settings",
      command: "gemini-cli-check",
      check: texts.checkText,
      limit: texts.geminiLimit,
      undo: texts.geminiUndo,
    },
    {
      id: "cline",
      title: "Cline",
      steps: Object.values(texts.cline),
      settings: "cline-settings",
      command: null,
      check: texts.clineCheck,
      limit: fill(texts.clineLimit, { context }),
      undo: texts.clineUndo,
    },
    {
      id: "continue",
      title: "Continue",
      steps: Object.values(texts.continueEditor),
      settings: "continue-config",
      command: null,
      check: texts.continueCheck,
      limit: texts.continueLimit,
      undo: texts.continueUndo,
    },
    {
      id: "cursor",
      title: "Cursor",
      steps: Object.values(texts.cursor),
      settings: "cursor-settings",
      command: null,
      check: texts.cursorCheck,
      limit: texts.cursorLimit,
      undo: texts.cursorUndo,
    },
  ];
}
