import type { AnyEndpoint } from "./endpoint/model.ts";
import type { Job } from "./schedule-jobs.ts";

/** What a feature plugs into the program; its folder builds it, and the composition lists it. */
export type Feature = {
  /** Names the group of its endpoints in the description of the API. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  readonly jobs?: readonly Job[];
  /** Begins what does not wait for a call or a time; where the jobs run. */
  readonly start?: () => void;
  /** Lets what is in hand end, up to the time limit in milliseconds. */
  readonly stop?: (timeoutMs: number) => Promise<void>;
};
