import { docNames } from "../../docs/doc-list.ts";
import { docPage } from "../../docs/doc-page.tsx";
import type { DocTexts } from "../../docs/messages/en.ts";
import type { DocBlock, DocSection, SnippetTab } from "../../docs/model.ts";

type Client = {
  readonly id: string;
  /** A name that no language translates. */
  readonly title: string;
  readonly text: string;
  readonly install: readonly SnippetTab[];
  readonly code: readonly SnippetTab[];
  readonly limit: string;
  readonly undo: string;
};

/** `/docs/clients/`: each library, then common errors. */
export const docsClientsPage = docPage({
  path: "/docs/clients/",
  updatedOn: "2026-11-23",
  name: docNames["/docs/clients/"],
  content: (texts) => ({
    title: texts.clients.title,
    lead: texts.clients.lead,
    sections: [
      {
        id: "before",
        title: texts.clients.before,
        blocks: [
          { kind: "text", text: texts.clients.beforeText },
          { kind: "snippet", name: "environment" },
        ],
      },
      ...clients(texts.clients).map((client) => clientSection(client, texts)),
      {
        id: "retries",
        title: texts.clients.retries,
        blocks: [{ kind: "list", items: Object.values(texts.clients.retry) }],
      },
      {
        id: "cache",
        title: texts.clients.cache,
        blocks: [
          { kind: "text", text: texts.clients.cacheText },
          { kind: "list", items: Object.values(texts.clients.cacheRule) },
        ],
      },
      {
        id: "labels",
        title: texts.clients.labels,
        blocks: [
          { kind: "text", text: texts.clients.labelsText },
          { kind: "snippet", name: "curl-tags" },
          { kind: "list", items: Object.values(texts.clients.labelRule) },
        ],
      },
      {
        id: "errors",
        title: texts.clients.errors,
        blocks: [{ kind: "text", text: texts.clients.errorsText }],
      },
    ],
  }),
});

function clientSection({ id, title, text, install, code, limit, undo }: Client, texts: DocTexts): DocSection {
  const { frame, clients: words } = texts;
  const part = (heading: string, ...blocks: readonly DocBlock[]): DocBlock[] => [
    { kind: "heading", text: heading },
    ...blocks,
  ];
  return {
    id,
    title,
    blocks: [
      { kind: "text", text },
      ...(install.length === 0 ? [] : part(frame.install, tabs(install))),
      ...part(frame.check, { kind: "text", text: words.checkText }, tabs(code)),
      ...part(frame.limits, { kind: "text", text: limit }),
      ...part(frame.undo, { kind: "text", text: undo }),
    ],
  };
}

function tabs(list: readonly SnippetTab[]): DocBlock {
  const [only, ...others] = list;
  return only !== undefined && others.length === 0
    ? { kind: "snippet", name: only.name }
    : { kind: "tabs", tabs: list };
}

function clients(texts: DocTexts["clients"]): Client[] {
  return [
    {
      id: "curl",
      title: "curl",
      text: texts.curlText,
      install: [],
      code: [
        { label: "Chat", name: "curl-chat" },
        { label: "Stream", name: "curl-stream" },
        { label: "Anthropic", name: "curl-messages" },
      ],
      limit: texts.curlLimit,
      undo: texts.undoCurl,
    },
    {
      id: "openai",
      title: "OpenAI SDK",
      text: texts.openaiText,
      ...inBoth("openai"),
      limit: texts.openaiLimit,
      undo: texts.undoBase,
    },
    {
      id: "anthropic",
      title: "Anthropic SDK",
      text: texts.anthropicText,
      ...inBoth("anthropic"),
      limit: texts.anthropicLimit,
      undo: texts.undoBase,
    },
    {
      id: "vercel-ai-sdk",
      title: "Vercel AI SDK",
      text: texts.aiSdkText,
      install: [{ label: "TypeScript", name: "vercel-ai-sdk-install" }],
      code: [{ label: "TypeScript", name: "vercel-ai-sdk" }],
      limit: texts.aiSdkLimit,
      undo: texts.undoBase,
    },
    {
      id: "langchain",
      title: "LangChain",
      text: texts.langchainText,
      ...inBoth("langchain"),
      limit: texts.langchainLimit,
      undo: texts.undoBase,
    },
    {
      id: "litellm",
      title: "LiteLLM",
      text: texts.litellmText,
      install: [{ label: "Python", name: "litellm-python-install" }],
      code: [{ label: "Python", name: "litellm-python" }],
      limit: texts.litellmLimit,
      undo: texts.undoBase,
    },
  ];
}

function inBoth(library: "openai" | "anthropic" | "langchain"): Pick<Client, "install" | "code"> {
  return {
    install: [
      { label: "Python", name: `${library}-python-install` },
      { label: "TypeScript", name: `${library}-typescript-install` },
    ],
    code: [
      { label: "Python", name: `${library}-python` },
      { label: "TypeScript", name: `${library}-typescript` },
    ],
  };
}
