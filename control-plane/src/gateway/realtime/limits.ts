/** Time limits of a session, in milliseconds. */
export type RealtimeLimits = {
  /** The limit for connecting to the provider. */
  readonly connectTimeoutMs: number;
  /** How long both sides may be silent. */
  readonly idleTimeoutMs: number;
  /** The maximum length of a session. */
  readonly totalTimeoutMs: number;
  /** How often the key of a running session is checked again. */
  readonly recheckMs: number;
  /** How often the provider is pinged; it must respond before the next ping. */
  readonly pingMs: number;
  /** How long a running response may continue once this process is asked to stop. */
  readonly drainTimeoutMs: number;
};

/** The largest frame, in both directions. */
export const frameBytesMax = 16 * 1024 * 1024;
