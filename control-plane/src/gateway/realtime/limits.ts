/** How long the parts of a session may take; milliseconds. */
export type RealtimeLimits = {
  /** Until the connection to the provider is established. */
  readonly connectTimeoutMs: number;
  /** Neither side has sent anything for this long. */
  readonly idleTimeoutMs: number;
  /** The longest session. */
  readonly totalTimeoutMs: number;
  /** How often the key of a running session is checked again. */
  readonly recheckMs: number;
  /** The provider is asked for a sign of life this often, and has to give one until it is asked again. */
  readonly pingMs: number;
  /** How long a running response may continue once this process is asked to stop. */
  readonly drainTimeoutMs: number;
};

/** The largest frame, in both directions. */
export const frameBytesMax = 16 * 1024 * 1024;
