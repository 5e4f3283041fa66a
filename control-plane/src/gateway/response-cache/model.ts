import type { Units } from "../../models/units.ts";

/** A complete response, with everything needed to repeat it. */
export type KeptAnswer = {
  /** How to read the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent to the first client, byte for byte. */
  readonly body: Uint8Array;
  readonly isStream: boolean;
  /** What the provider counted. */
  readonly units: Units;
  readonly keptAtMs: number;
  readonly expiresAtMs: number;
};

/** What a response is charged for, and who counted it. */
export type SettledUsage = {
  readonly units: Units;
  readonly usageSource: "provider" | "estimated" | "none";
  readonly isImplausible: boolean;
};

/** What the operator has set; read again for each call. */
export type CacheRules = {
  readonly isOn: boolean;
  /** What a repetition costs, in hundredths of a percent of the normal price. */
  readonly basisPoints: number;
  /** How long a response is kept if its call does not say. */
  readonly lifetimeSeconds: number;
  readonly lifetimeSecondsMax: number;
  /** The most that one process keeps in its memory. */
  readonly memoryBytesMax: number;
  readonly answerBytesMax: number;
  /** Whether users get responses to requests of others. */
  readonly isSharedByUsers: boolean;
};

/** The store that replicas share. Both methods may fail; the cache then works without it. */
export interface SharedAnswers {
  /** @returns null if it has none, or an older program or another master key wrote it */
  find(digest: string): Promise<KeptAnswer | null>;
  keep(digest: string, answer: KeptAnswer): Promise<void>;
  close(): void;
}

/** The memory of an entry besides its body: its name, its fields and its place in the map. */
const entryBytes = 1_024;

/** The memory that an answer takes. */
export function sizeOf({ body }: Pick<KeptAnswer, "body">): number {
  return body.byteLength + entryBytes;
}
