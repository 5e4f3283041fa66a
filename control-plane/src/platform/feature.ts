import type { AnyEndpoint } from "./endpoint/model.ts";
import type { Job } from "./schedule-jobs.ts";

/** What a feature adds to the program; its folder builds it, and the composition lists it. */
export type Feature = {
  /** The name of its endpoints' group in the API description. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  readonly jobs?: readonly Job[];
  /** Starts background work that is triggered by neither a call nor a schedule, where jobs run. */
  readonly start?: () => void;
  /** Lets work in progress finish, up to the time limit in milliseconds. */
  readonly stop?: (timeoutMs: number) => Promise<void>;
};
