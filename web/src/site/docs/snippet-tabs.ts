import type { SnippetTab } from "./model.ts";

/** The first call, for everybody. */
export const firstCallTabs: readonly SnippetTab[] = [
  { label: "curl", name: "curl-chat" },
  { label: "Python", name: "openai-python" },
  { label: "TypeScript", name: "openai-typescript" },
  { label: "Anthropic", name: "curl-messages" },
];
