import type { CallHeaders } from "../model.ts";

const actions = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
] as const;

/** A path of the Gemini API that calls a model. */
export type GeminiPath = {
  readonly model: string;
  readonly action: (typeof actions)[number];
};

export const geminiModelsPath = "/v1beta/models";
/** Clients of either version get the newer one, which has everything that the other has. */
const pattern = new RegExp(`^/v1(?:beta)?/models/([A-Za-z0-9._~@%-]{1,512}):(${actions.join("|")})$`);
/** The header in which clients of the Gemini API send their key, and those of others. */
const keyHeader = "x-goog-api-key";
const otherKeyHeaders = ["authorization", "x-api-key"];

/** Whether a client speaks the Gemini API. The list of models in its first version is at the path of another API, too. */
export function isGeminiCall({ path, headers }: { readonly path: string; readonly headers: CallHeaders }): boolean {
  if (path.startsWith("/v1beta/")) {
    return true;
  }
  if (!path.startsWith("/v1/models")) {
    return false;
  }
  const isAskedWithItsKey =
    headers.get(keyHeader) !== null && otherKeyHeaders.every((name) => headers.get(name) === null);
  return isAskedWithItsKey || readGeminiPath(path) !== null;
}

/** Reads a path with its model decoded; null for any other path, and for a model that is not properly encoded. */
export function readGeminiPath(path: string): GeminiPath | null {
  const [, encoded = "", action] = pattern.exec(path) ?? [];
  if (action === undefined) {
    return null;
  }
  try {
    return { model: decodeURIComponent(encoded), action: action as GeminiPath["action"] };
  } catch {
    return null;
  }
}

/** The path of the same action for another model. */
export function geminiPathOf({ action }: Pick<GeminiPath, "action">, model: string): string {
  return `${geminiModelsPath}/${encodeURIComponent(model)}:${action}`;
}
