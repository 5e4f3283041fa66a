import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";

const { TEST_SEED } = process.env;

/** The seed of this file's randomness: `TEST_SEED` if given. It is printed, so that a failure can be repeated. */
export const testSeed = TEST_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(TEST_SEED);
process.stderr.write(`TEST_SEED=${testSeed}\n`);

/**
 * Numbers from 0 up to, not including, 1.
 * @param stream which of several independent rows of them
 */
export function testRandom(stream = 0): () => number {
  return seededRandom(testSeed + stream);
}
