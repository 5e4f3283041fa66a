/**
 * How long a test waits for what must happen, if the time is not what it tests. On an idle machine it happens at once, on a busy
 * one it may take a hundred times as long.
 */
export const patienceMs = 60_000;

/**
 * What happens at once on an idle machine has happened within this time on a busy one. It is shorter than what would bring it
 * about anyway: limits of time, and what is read again from time to time.
 */
export const promptMs = 5_000;
