/** The clients in Python, by the library that each process has. */
import type { Client } from "../model.ts";
import type { PythonClient } from "../python-client.ts";

/** A library, with the modules that it needs. */
export type PythonLibrary = {
  readonly modules: readonly string[];
  readonly script: string;
  readonly clients: readonly KeyedClient[];
};
type KeyedClient = Omit<Client, "converse"> & { readonly key: string };

const chat: Omit<KeyedClient, "name"> = {
  key: "chat",
  dialect: "chat",
  family: "gpt-5.5",
  finishes: { done: "stop", calls: "tool_calls" },
};
const responses: Omit<KeyedClient, "name"> = {
  ...{ key: "responses", dialect: "responses", family: "gpt-5.5" },
  finishes: { done: "completed", calls: "completed" },
};
const messages: Omit<KeyedClient, "name"> = {
  ...{ key: "messages", dialect: "messages", family: "claude-sonnet-4-5" },
  finishes: { done: "end_turn", calls: "tool_use" },
};

export const pythonLibraries: readonly PythonLibrary[] = [
  {
    ...{ modules: ["openai"], script: "openai_client.py" },
    clients: [
      { ...chat, name: "OpenAI Python, chat" },
      { ...responses, name: "OpenAI Python, responses" },
    ],
  },
  {
    ...{ modules: ["anthropic"], script: "anthropic_client.py" },
    clients: [
      { ...messages, name: "Anthropic Python" },
      { ...messages, name: "Anthropic Python, /msgcompat", key: "msgcompat" },
    ],
  },
  {
    ...{ modules: ["langchain_openai", "langchain_anthropic"], script: "langchain_client.py" },
    clients: [
      {
        ...{ ...chat, name: "LangChain Python, openai chat" },
        note: "it shows no text of the reasoning, as OpenAI's own chat API has none",
      },
      { ...responses, name: "LangChain Python, openai responses" },
      { ...messages, name: "LangChain Python, anthropic" },
    ],
  },
];

export const liteLlm: PythonLibrary = {
  ...{ modules: ["litellm"], script: "litellm_client.py" },
  clients: [
    // Models named like the newest of OpenAI it calls by Responses when they think and have tools.
    { ...chat, name: "LiteLLM, openai", family: "claude-sonnet-4-5" },
    { ...messages, name: "LiteLLM, anthropic", finishes: chat.finishes },
    { ...chat, name: "LiteLLM, gemini", dialect: "gemini", family: "gemini-3-pro", key: "gemini" },
  ],
};

/** The clients of a library, whose process is asked for when they begin. */
export const clientsOf = ({ clients }: PythonLibrary, python: () => PythonClient): readonly Client[] =>
  clients.map(({ key, ...client }) => ({ ...client, converse: (ask) => python().converse(key, ask) }));
