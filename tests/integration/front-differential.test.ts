import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type FrontRig, type SeenRequest, startFrontRig } from "../support/front/front-rig.ts";
import { parserCases } from "../support/front/llhttp-cases.ts";
import { oddRequests } from "../support/front/odd-requests.ts";
import { type PlainNginx, startPlainNginx } from "../support/front/plain-nginx.ts";
import { byteCases, smugglingCases } from "../support/front/smuggling-cases.ts";
import { converse, patientMs, type Transcript } from "../support/front/transcript.ts";
import { describeUnless, unlessInstalled } from "../support/service/obstacles.ts";

const { TEST_FULL, TEST_SEED } = process.env;
const seedCount = TEST_FULL === "1" ? 20_000 : 600;
const firstSeed = Number(TEST_SEED ?? 1);
const seeds = Array.from({ length: seedCount }, (_, index) => firstSeed + index);
/** An ordinary run tries every so many of them, which are some of each place. */
const byteCasesEach = TEST_FULL === "1" ? 1 : 11;
const triedBytes = byteCases.filter((_, index) => index % byteCasesEach === 0);
/** Conversations at the same time. */
const lanes = 100;

let rig: FrontRig;

beforeAll(() => {
  rig = startFrontRig({ settings: { connectionsMax: 10_000 } });
});

afterAll(() => rig.stop());

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) {
        await work(item);
      }
    }),
  );
}

/** What has to be the same in two servers. */
const essence = ({ method, target, host, body, headers }: SeenRequest) =>
  JSON.stringify({ method, target, host, body, headers: [...headers].sort() });

/**
 * What is wrong with what came through the front: a request that the runtime's server does not see like that, or one
 * that is missing although nothing was refused. Refusing more is right.
 */
function findDifference(text: string, { seen, statuses }: Transcript, runtime: Transcript): object | null {
  const [ours, theirs] = [seen.map(essence), runtime.seen.map(essence)];
  const isSame = ours.every((one, index) => one === theirs[index]);
  // Without any response yet, nothing is refused.
  const hasRefused = (statuses.at(-1) ?? 200) !== 200;
  return isSame && (hasRefused || ours.length === theirs.length) ? null : { text, ours, theirs, statuses };
}

/** Asks both servers, and once more with patience if they seem to differ. */
async function compare(text: string, pieceBytes: number): Promise<object | null> {
  const ask = async (quietMs?: number) => {
    const [ours, theirs] = [
      await converse(rig.port, text, { pieceBytes, ...(quietMs === undefined ? {} : { quietMs }) }),
      await converse(rig.serverPort, text, quietMs === undefined ? {} : { quietMs }),
    ];
    return findDifference(text, ours, theirs);
  };
  return (await ask()) === null ? null : await ask(patientMs);
}

describe("the front understands no request otherwise than the runtime's server", () => {
  test.each([1, 7, Number.POSITIVE_INFINITY])(
    "in changed requests, in pieces of %d bytes",
    async (pieceBytes) => {
      const differences: object[] = [];
      const share = pieceBytes === Number.POSITIVE_INFINITY ? seeds : seeds.slice(0, seedCount / 6);
      await inLanes(share, async (seed) => {
        const text = oddRequests(seed);
        const difference = await compare(text, Math.min(pieceBytes, text.length));
        if (difference !== null) {
          differences.push({ seed, ...difference });
        }
      });
      expect(differences).toEqual([]);
      const { served, handed_over, refused } = rig.counts;
      // Each of the ways was taken often.
      expect(Math.min(served, handed_over, refused)).toBeGreaterThan(share.length / 20);
    },
    600_000,
  );

  test.each([...smugglingCases])("in an attempt to smuggle: %s", async (_, text) => {
    expect(await compare(text, text.length)).toBeNull();
    const ours = await converse(rig.port, text);
    expect(ours.seen.map(({ target }) => target)).not.toContain("/smuggled");
  });

  test("in an attempt to hide a length or an encoding by any byte", async () => {
    const differences: object[] = [];
    await inLanes(triedBytes, async ({ name, text }) => {
      const difference = await compare(text, text.length);
      if (difference !== null) {
        differences.push({ name, ...difference });
      }
    });
    expect(differences).toEqual([]);
  }, 600_000);

  test("in the cases of another parser", async () => {
    const differences: object[] = [];
    await inLanes(parserCases, async ([name, text]) => {
      const difference = await compare(text, text.length);
      if (difference !== null) {
        differences.push({ name, ...difference });
      }
    });
    expect(differences).toEqual([]);
  }, 600_000);
});

describeUnless(unlessInstalled("nginx"), "the front understands no request otherwise than nginx", () => {
  let nginx: PlainNginx;

  beforeAll(async () => {
    nginx = await startPlainNginx(rig.serverPort);
  });

  afterAll(() => nginx.stop());

  /** How many requests both have understood. */
  let compared = 0;

  const findOther = (text: string, ours: Transcript, theirs: Transcript): object | null => {
    const short = ({ method, target, body }: SeenRequest) => JSON.stringify({ method, target, body });
    const own = ours.seen.filter(({ by }) => by === "front").map(short);
    const others = theirs.seen.map(short);
    compared += Math.min(own.length, others.length);
    const isOther = own.some((one, index) => others[index] !== undefined && one !== others[index]);
    return isOther ? { text, own, others } : null;
  };

  /** Listens with patience to a server that has not refused, and said less than it should: a busy machine lets it wait. */
  const listenTo = async (port: number, text: string, requestsMin: number): Promise<Transcript> => {
    const heard = await converse(port, text);
    const isQuiet = (heard.statuses.at(-1) ?? 200) === 200 && heard.seen.length < requestsMin;
    return isQuiet ? await converse(port, text, { quietMs: patientMs }) : heard;
  };

  const compareWithNginx = async (text: string): Promise<object | null> => {
    const ours = await listenTo(rig.port, text, 1);
    const served = ours.seen.filter(({ by }) => by === "front").length;
    return findOther(text, ours, await listenTo(nginx.port, text, served));
  };

  const findOthers = async (texts: readonly string[]): Promise<object[]> => {
    const differences: object[] = [];
    compared = 0;
    await inLanes(texts, async (text) => {
      const difference = await compareWithNginx(text);
      if (difference !== null) {
        differences.push(difference);
      }
    });
    return differences;
  };

  test("in changed requests", async () => {
    expect(await findOthers(seeds.map(oddRequests))).toEqual([]);
    expect(compared).toBeGreaterThan(seeds.length / 4);
  }, 600_000);

  test("in an attempt to hide a length or an encoding by any byte", async () => {
    expect(await findOthers(triedBytes.map(({ text }) => text))).toEqual([]);
  }, 600_000);

  test("in the cases of another parser", async () => {
    expect(await findOthers(parserCases.map(([, text]) => text))).toEqual([]);
    expect(compared).toBeGreaterThan(10);
  }, 600_000);

  test.each([...smugglingCases])("in an attempt to smuggle: %s", async (_, text) => {
    expect(await compareWithNginx(text)).toBeNull();
  });
});
