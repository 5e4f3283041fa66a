const { TEST_FULL } = process.env;

/**
 * For the environment of a service whose pages nobody looks at: it has none, except in a full run. To render the public ones takes
 * 1.2 s of processor time.
 */
export const withoutPages: Readonly<Record<string, string>> = TEST_FULL === "1" ? {} : { WEB_DIST: "none" };
