import type { ReasoningEffort } from "./model-flags.ts";

/**
 * The types of the chat-completions format that this package writes; responses are read field by field and have no
 * type.
 */

export type TextPart = { type: "text"; text: string };
export type ImagePart = { type: "image_url"; image_url: { url: string } };
export type FilePart = { type: "file"; file: { filename: string; file_data: string } };
export type ContentPart = TextPart | ImagePart | FilePart;

export type ChatToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

export type ChatSystemMessage = { role: "system"; content: string };
export type ChatUserMessage = { role: "user"; content: string | ContentPart[] };
export type ChatAssistantMessage = {
  role: "assistant";
  content: string | null;
  reasoning_content?: string;
  tool_calls?: ChatToolCall[];
};
export type ChatToolMessage = { role: "tool"; tool_call_id: string; content: string };
export type ChatMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | ChatToolMessage;

export type ChatTool = {
  type: "function";
  function: { name: string; description?: string; parameters: { [field: string]: unknown }; strict?: boolean };
};

export type ChatToolChoice = "auto" | "required" | "none" | { type: "function"; function: { name: string } };

export type ChatCompletionRequest = {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  tool_choice?: ChatToolChoice;
  parallel_tool_calls?: boolean;
  max_tokens?: number;
  max_completion_tokens?: number;
  stop?: string[];
  temperature?: number;
  top_p?: number;
  top_k?: number;
  reasoning_effort?: ReasoningEffort;
  response_format?: {
    type: "json_schema";
    json_schema: { name: string; schema: { [field: string]: unknown }; strict: boolean };
  };
  user?: string;
  safety_identifier?: string;
  service_tier?: "auto" | "default";
  stream: boolean;
  stream_options?: { include_usage: boolean };
};
