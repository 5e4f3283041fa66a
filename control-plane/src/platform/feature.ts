import type { AnyEndpoint } from "./endpoint/model.ts";
import type { Job } from "./schedule-jobs.ts";

/** What a feature adds to the program; its folder builds it, and the composition lists it. */
export type Feature = {
  /** The name under which the API description groups its endpoints. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  readonly jobs?: readonly Job[];
  /** Starts the background work that neither a call nor a schedule triggers. Called only where jobs run. */
  readonly start?: () => void;
  /** Lets work in progress finish, up to the time limit in milliseconds. */
  readonly stop?: (timeoutMs: number) => Promise<void>;
};
