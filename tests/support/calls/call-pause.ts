const { TEST_FULL } = process.env;

/**
 * Between two calls of somebody who calls all the time, except in a full run: without it, a few callers take the processors from
 * the program that runs beside them, and so make it run for longer.
 */
export const callPauseMs = TEST_FULL === "1" ? 0 : 25;
