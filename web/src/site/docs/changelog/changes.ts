/** The changes that programs notice which call the API, the newest first; each has a text in every language. */
export const changes = [
  { id: "errorLink", on: "2026-11-29" },
  { id: "capabilities", on: "2026-11-29" },
  { id: "tags", on: "2026-11-24" },
  { id: "organisations", on: "2026-11-24" },
  { id: "fallback", on: "2026-11-23" },
  { id: "cache", on: "2026-11-23" },
  { id: "cohere", on: "2026-11-23" },
  { id: "gemini", on: "2026-11-23" },
  { id: "convert", on: "2026-11-23" },
  { id: "ending", on: "2026-11-23" },
  { id: "keyUsage", on: "2026-11-23" },
  { id: "first", on: "2026-11-23" },
] as const;

export type ChangeId = (typeof changes)[number]["id"];

/** The feed of the changes, in each language. */
export const changesFeedPath = "/docs/changelog.xml";

/** The days with their changes, the newest first. */
export function changesByDay(): readonly (readonly [day: string, ids: readonly ChangeId[]])[] {
  return [...Map.groupBy(changes, ({ on }) => on)].map(([day, found]) => [day, found.map(({ id }) => id)]);
}
