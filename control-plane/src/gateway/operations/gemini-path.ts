/** A path of the Gemini API that calls a model. */
export type GeminiPath = {
  readonly model: string;
  readonly action: "generateContent" | "streamGenerateContent";
};

export const geminiModelsPath = "/v1beta/models";
/** Clients of either version get the newer one, which has everything that the other has. */
const pattern = /^\/v1(?:beta)?\/models\/([A-Za-z0-9._~@%-]{1,512}):(generateContent|streamGenerateContent)$/;

export function isGeminiPath(path: string): boolean {
  return path.startsWith("/v1beta/") || (path.startsWith("/v1/models/") && readGeminiPath(path) !== null);
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
