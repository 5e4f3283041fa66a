/** Why the browser does not store something: it has no room, refuses all storage, or the thing is too large. */
export type StorageProblem = "full" | "off" | "large";

export function storageProblemOf(error: unknown): StorageProblem {
  return error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "off";
}
