/**
 * How long a test waits for what must happen, if the time is not what it tests. On an idle machine it happens at once, on a busy
 * one it may take a hundred times as long.
 */
export const patienceMs = 60_000;
