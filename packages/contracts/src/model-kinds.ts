/** What a model is asked for. Only those of kind `chat` stand in snippets for conversations and in the playground. */
export const modelKinds = ["chat", "embedding", "image", "audio", "rerank", "moderation", "realtime"] as const;
export type ModelKind = (typeof modelKinds)[number];
