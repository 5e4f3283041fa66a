/** Operations by short names, each as the gateway defines it. */
import type { Operation } from "@sluice/control-plane/gateway/operations/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";

const paths = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  speech: "/v1/audio/speech",
  transcription: "/v1/audio/transcriptions",
  moderations: "/v1/moderations",
  rerank: "/v1/rerank",
  cohere_rerank: "/v2/rerank",
  pass: "/v1/files",
} as const;

export type ShortName = keyof typeof paths;

export function operationOf(name: ShortName): Operation {
  return findOperation(paths[name]);
}
