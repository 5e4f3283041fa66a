import { findPassThrough } from "@sluice/contracts/pass-through";

/** How a path of the OpenAI API passes through the gateway. */
export type Surface = {
  readonly methods: readonly string[];
  readonly body: "json" | "multipart" | "none";
  /** Determines which fields of the body bound the cost, and how the end of a stream is recognised. */
  readonly kind: SurfaceKind;
  /** The model that the API assumes when a request names none. */
  readonly defaultModel?: string;
};

export type SurfaceKind =
  | "chat"
  | "completions"
  | "responses"
  | "embeddings"
  | "images"
  | "speech"
  | "transcription"
  | "moderations"
  | "rerank"
  | "models"
  | "pass";

const post = ["POST"];

/** Paths with rules of their own. A few others are passed through where a channel of the group says so. */
const surfaces: ReadonlyMap<string, Surface> = new Map([
  ["/v1/chat/completions", { methods: post, body: "json", kind: "chat" }],
  ["/v1/completions", { methods: post, body: "json", kind: "completions" }],
  ["/v1/responses", { methods: post, body: "json", kind: "responses" }],
  ["/v1/embeddings", { methods: post, body: "json", kind: "embeddings" }],
  ["/v1/moderations", { methods: post, body: "json", kind: "moderations", defaultModel: "omni-moderation-latest" }],
  ["/v1/rerank", { methods: post, body: "json", kind: "rerank" }],
  ["/v1/images/generations", { methods: post, body: "json", kind: "images" }],
  ["/v1/images/edits", { methods: post, body: "multipart", kind: "images" }],
  ["/v1/images/variations", { methods: post, body: "multipart", kind: "images" }],
  ["/v1/audio/speech", { methods: post, body: "json", kind: "speech" }],
  ["/v1/audio/transcriptions", { methods: post, body: "multipart", kind: "transcription" }],
  ["/v1/audio/translations", { methods: post, body: "multipart", kind: "transcription" }],
  ["/v1/models", { methods: ["GET", "HEAD"], body: "none", kind: "models" }],
]);

/** A path without rules of its own: the body is not parsed, and a call costs the pass-through price. */
const passThrough = { body: "none", kind: "pass" } as const;

const modelPrefix = "/v1/models/";
/** How a path passes through the gateway; no methods for one that does not. */
export function findSurface(path: string): Surface {
  return (
    surfaces.get(path.startsWith(modelPrefix) ? "/v1/models" : path) ?? {
      ...passThrough,
      methods: [...findPassThrough(path).keys()],
    }
  );
}

const resultLists: Readonly<Partial<Record<SurfaceKind, string>>> = {
  chat: "choices",
  completions: "choices",
  responses: "output",
  embeddings: "data",
  images: "data",
};

/** The list that a complete response must contain to be valid; null if any form is valid. */
export function resultListOf(kind: SurfaceKind): string | null {
  return resultLists[kind] ?? null;
}

const plainPath = /^\/v1(\/[A-Za-z0-9._-]+)+$/;
/** Model names may contain a maker, a variant or a tuning, which clients encode. None of it is sent to a provider. */
const modelPath = /^\/v1\/models\/[A-Za-z0-9._~:@%/-]+$/;

/** Whether a path may be called at all: plain segments, nothing encoded, no `..`, no case variant of a known path. */
export function isPlainPath(path: string): boolean {
  const isSpelledOut = plainPath.test(path) || modelPath.test(path);
  const climbs = path.includes("/..") || path.includes("/./");
  return isSpelledOut && !climbs && !isKnownInOtherCase(path);
}

/** A case-insensitive provider would treat it as the known path, while nobody here counts its tokens. */
function isKnownInOtherCase(path: string): boolean {
  if (surfaces.has(path) || path.startsWith(modelPrefix)) {
    return false;
  }
  const lower = path.toLowerCase();
  return surfaces.has(lower) || lower.startsWith(modelPrefix);
}
