/** What a model is used for. Only those of kind `chat` appear in snippets for conversations and in the playground. */
export const modelKinds = ["chat", "embedding", "image", "audio", "rerank", "moderation", "realtime"] as const;
export type ModelKind = (typeof modelKinds)[number];
