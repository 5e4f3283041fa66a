import type { AnyEndpoint } from "./endpoint/model.ts";
import type { Job } from "./schedule-jobs.ts";

/** The endpoints of a feature; its folder builds them, and the composition lists it. */
export type Feature = {
  /** The name under which the API description groups its endpoints. */
  readonly name: string;
  readonly endpoints: readonly AnyEndpoint[];
  /** Ends what its endpoints have started. */
  readonly stop?: () => void;
};

/** What a feature does without being asked. A process builds it when it starts, and its endpoints only for the first request. */
export type Work = {
  readonly jobs: readonly Job[];
  /** Starts the background work that neither a call nor a schedule triggers. Called only where jobs run. */
  readonly start?: () => void;
  /** Lets work in progress finish, up to the time limit in milliseconds. */
  readonly stop?: (timeoutMs: number) => Promise<void>;
};
