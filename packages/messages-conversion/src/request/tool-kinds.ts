import type { JsonObject } from "../json.ts";

/** The types of server-side tools, by their beginning. No upstream tool could replace them. */
const serverToolTypes = ["web_search_", "web_fetch_", "code_execution_", "tool_search_", "mcp_toolset", "advisor"];

type ClientToolKind = { readonly prefix: string; readonly description: string; readonly schema: JsonObject };

const text = { type: "string" } as const;

/** Client-side tools whose schema only the server knows, by the beginning of their type. */
const clientToolKinds: readonly ClientToolKind[] = [
  {
    prefix: "bash_",
    description: "Runs a command in a persistent bash session and returns its output.",
    schema: {
      type: "object",
      properties: {
        command: { ...text, description: "The command to run. Required unless the session is restarted." },
        restart: { type: "boolean", description: "Set to true to restart the session." },
      },
    },
  },
  {
    prefix: "text_editor_",
    description: "Views, creates and edits files.",
    schema: {
      type: "object",
      properties: {
        command: { ...text, enum: ["view", "create", "str_replace", "insert"], description: "What to do." },
        path: { ...text, description: "Absolute path of the file or directory." },
        file_text: { ...text, description: "For create: the content of the file." },
        old_str: { ...text, description: "For str_replace: the text to replace; it must occur exactly once." },
        new_str: { ...text, description: "For str_replace: what replaces it. For insert: the text to insert." },
        insert_line: {
          type: "integer",
          description: "For insert: the line after which to insert; 0 is the beginning.",
        },
        view_range: {
          type: "array",
          items: { type: "integer" },
          description: "For view: first and last line to show; -1 as the last is the end of the file.",
        },
      },
      required: ["command", "path"],
    },
  },
];

export type ToolKind =
  | { readonly kind: "custom" }
  | { readonly kind: "server" }
  | { readonly kind: "client"; readonly description: string; readonly schema: JsonObject }
  | { readonly kind: "unsupported" };

/** The kind of tool that a definition describes. A typed tool with its own schema counts as a custom one. */
export function toolKindOf(type: string | null, hasSchema: boolean): ToolKind {
  if (type === null || type === "custom") {
    return { kind: "custom" };
  }
  if (serverToolTypes.some((prefix) => type.startsWith(prefix))) {
    return { kind: "server" };
  }
  if (hasSchema) {
    return { kind: "custom" };
  }
  const known = clientToolKinds.find(({ prefix }) => type.startsWith(prefix));
  return known === undefined ? { kind: "unsupported" } : { ...known, kind: "client" };
}
