/** The types of the Messages format that a converted request consists of. */

export type CacheControl = { type: "ephemeral"; ttl?: "5m" | "1h" };
export type CacheMark = { cache_control?: CacheControl };

export type TextBlock = { type: "text"; text: string } & CacheMark;
export const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];
export type ImageBlock = {
  type: "image";
  source: { type: "base64"; media_type: ImageType; data: string } | { type: "url"; url: string };
} & CacheMark;
export type DocumentBlock = {
  type: "document";
  source: { type: "base64"; media_type: "application/pdf"; data: string } | TextSource;
  title?: string;
} & CacheMark;
export type TextSource = { type: "text"; media_type: "text/plain"; data: string };
export type UserBlock = TextBlock | ImageBlock | DocumentBlock;

export type ToolResultBlock = { type: "tool_result"; tool_use_id: string; content?: string | UserBlock[] } & CacheMark;

/** Neither can carry a mark of the cache. */
export type ThinkingBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

export type ToolUseBlock = {
  type: "tool_use";
  id: string;
  name: string;
  input: { readonly [name: string]: unknown };
} & CacheMark;
export type AssistantBlock = ThinkingBlock | TextBlock | ToolUseBlock;

export type Turn =
  | { role: "user"; content: (UserBlock | ToolResultBlock)[] }
  | { role: "assistant"; content: AssistantBlock[] }
  | { role: "system"; content: TextBlock[] };

/** The text as blocks: none if it is blank, which the Messages API refuses. */
export function toTextBlocks(text: string, mark: CacheMark = {}): TextBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...mark }];
}
