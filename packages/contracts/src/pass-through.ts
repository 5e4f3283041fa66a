/**
 * The paths without rules of their own that a channel can pass through: the closed list, by method. None of these paths
 * runs a model, so the flat price of a request pays for it, and none reads or changes the provider account itself, its
 * keys, people or models.
 */
export const passThroughPaths = [
  "GET /v1/files",
  "POST /v1/files",
  "GET /v1/files/{id}",
  "GET /v1/files/{id}/content",
  "DELETE /v1/files/{id}",
  "POST /v1/uploads",
  "POST /v1/uploads/{id}/parts",
  "POST /v1/uploads/{id}/complete",
  "POST /v1/uploads/{id}/cancel",
  "GET /v1/vector_stores",
  "POST /v1/vector_stores",
  "GET /v1/vector_stores/{id}",
  "POST /v1/vector_stores/{id}",
  "DELETE /v1/vector_stores/{id}",
  "GET /v1/vector_stores/{id}/files",
  "POST /v1/vector_stores/{id}/files",
  "GET /v1/vector_stores/{id}/files/{id}",
  "DELETE /v1/vector_stores/{id}/files/{id}",
  "POST /v1/vector_stores/{id}/search",
  "POST /v1/responses/input_tokens",
  "GET /v1/responses/{id}",
  "GET /v1/responses/{id}/input_items",
  "DELETE /v1/responses/{id}",
] as const;

export type PassThroughPath = (typeof passThroughPaths)[number];

type Entry = { readonly name: PassThroughPath; readonly method: string; readonly pattern: RegExp };

const entries: readonly Entry[] = passThroughPaths.map((name) => {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, pattern: new RegExp(`^${path.replaceAll("{id}", "[A-Za-z0-9_-]{1,128}")}$`) };
});

/** The entry of the list for a path, by method; empty for a path that is never passed through. */
export function findPassThrough(path: string): ReadonlyMap<string, PassThroughPath> {
  return new Map(entries.flatMap(({ name, method, pattern }) => (pattern.test(path) ? [[method, name]] : [])));
}
