export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };

type SentToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ContentPart[] }
  | { readonly role: "assistant"; readonly content?: string; readonly tool_calls?: readonly SentToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** What a response took; null if not reported. */
export type Measures = {
  readonly requestId: string | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The charge in quota, from the record of the call, once that exists. */
  readonly cost: string | null;
};
