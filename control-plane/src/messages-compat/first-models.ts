/**
 * The names that current clients ask for: those in the types of the official SDK, and older names with a date that
 * configurations still contain. An unknown release date is stored as the earliest day.
 */
const known: readonly (readonly [name: string, displayName: string, releasedOn?: string])[] = [
  ["claude-fable-5-2", "Claude Fable 5.2"],
  ["claude-mythos-5-2", "Claude Mythos 5.2"],
  ["claude-haiku-5-5", "Claude Haiku 5.5"],
  ["claude-sonnet-5-5", "Claude Sonnet 5.5"],
  ["claude-opus-5-5", "Claude Opus 5.5"],
  ["claude-fable-5-1", "Claude Fable 5.1"],
  ["claude-mythos-5-1", "Claude Mythos 5.1"],
  ["claude-sonnet-5", "Claude Sonnet 5"],
  ["claude-fable-5", "Claude Fable 5"],
  ["claude-mythos-5", "Claude Mythos 5"],
  ["claude-opus-5", "Claude Opus 5"],
  ["claude-opus-4-8", "Claude Opus 4.8"],
  ["claude-opus-4-7", "Claude Opus 4.7"],
  ["claude-mythos-preview", "Claude Mythos Preview"],
  ["claude-opus-4-6", "Claude Opus 4.6"],
  ["claude-sonnet-4-6", "Claude Sonnet 4.6"],
  ["claude-haiku-4-5", "Claude Haiku 4.5", "2025-10-01"],
  ["claude-haiku-4-5-20251001", "Claude Haiku 4.5", "2025-10-01"],
  ["claude-opus-4-5", "Claude Opus 4.5", "2025-11-01"],
  ["claude-opus-4-5-20251101", "Claude Opus 4.5", "2025-11-01"],
  ["claude-sonnet-4-5", "Claude Sonnet 4.5", "2025-09-29"],
  ["claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", "2025-09-29"],
  ["claude-opus-4-1-20250805", "Claude Opus 4.1", "2025-08-05"],
  ["claude-sonnet-4-20250514", "Claude Sonnet 4", "2025-05-14"],
  ["claude-opus-4-20250514", "Claude Opus 4", "2025-05-14"],
];

/** The initial entries of the map. */
export const firstModels = known.map(([name, displayName, releasedOn = "1970-01-01"]) => ({
  name,
  displayName,
  releasedAt: new Date(`${releasedOn}T00:00:00Z`),
}));
