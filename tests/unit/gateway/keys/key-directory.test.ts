import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { KeyDirectory } from "@sluice/control-plane/gateway/keys/key-directory.ts";
import type { Principal } from "@sluice/control-plane/gateway/model.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { passTime, settlePromises } from "../../../support/values/fake-time.ts";

const digest = "ab".repeat(32);

/** A directory over a database whose response a test sets: at once, never, or a failure. */
function setUp() {
  const database = {
    principal: principal("active") as Principal | null,
    state: "answers" as "answers" | "fails" | "is silent",
    loads: 0,
    loadMs: 1,
    /** How many of the next loads fail in any state. */
    losses: 0,
  };
  const load = async (): Promise<Principal | null> => {
    database.loads += 1;
    const { principal: found, state } = database;
    if (state === "is silent") {
      await new Promise(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, database.loadMs));
    if (state === "fails" || database.losses > 0) {
      database.losses -= 1;
      throw new Error("the database is away");
    }
    return found;
  };
  return { database, directory: new KeyDirectory(load, systemClock) };
}

function principal(keyStatus: Principal["keyStatus"], rightsEndAtMs: number | null = null): Principal {
  return { apiKeyId: 7n, keyStatus, rightsEndAtMs } as Principal;
}

async function statusOf(directory: KeyDirectory, ms = 5): Promise<string> {
  const answer = Promise.resolve(directory.find(digest)).then(
    (found) => found?.keyStatus ?? "absent",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
  await passTime(ms);
  return await Promise.race([answer, settlePromises().then(() => "no answer")]);
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe("a key that was valid", () => {
  test("is loaded again at the moment when its group ends, although nothing announces that", async () => {
    const { database, directory } = setUp();
    database.principal = principal("active", Date.now() + 5_000);
    expect(await statusOf(directory)).toBe("active");
    await passTime(4_900);
    expect(await statusOf(directory)).toBe("active");
    expect(database.loads).toBe(1);
    database.principal = principal("disabled");
    await passTime(100);
    expect(await statusOf(directory)).toBe("disabled");
    expect(database.loads).toBe(2);
  });

  test("serves for a while beyond the end of its group while the database can't be reached", async () => {
    const { database, directory } = setUp();
    database.principal = principal("active", Date.now() + 1_000);
    expect(await statusOf(directory)).toBe("active");
    database.state = "fails";
    await passTime(1_000);
    expect(await statusOf(directory, 100)).toBe("active");
    await passTime(120_000);
    expect(await statusOf(directory, 100)).toBe("temporarily_unavailable");
  });

  test("is served without the database until its change is announced", async () => {
    const { database, directory } = setUp();
    expect(await statusOf(directory)).toBe("active");
    expect(await statusOf(directory)).toBe("active");
    expect(database.loads).toBe(1);
    database.principal = principal("revoked");
    directory.forget(({ apiKeyId }) => apiKeyId === 7n);
    expect(await statusOf(directory)).toBe("revoked");
  });

  test("is not served from the cache at any time after a gap in the announcements", async () => {
    const { database, directory } = setUp();
    expect(await statusOf(directory)).toBe("active");
    database.principal = principal("revoked");
    directory.onGap();
    await passTime(60_000, 1_000);
    expect(await statusOf(directory)).toBe("revoked");
  });

  test("is reloaded after a gap even if a load was in progress then", async () => {
    const { database, directory } = setUp();
    expect(await statusOf(directory)).toBe("active");
    await passTime(30_000, 1_000);
    database.state = "is silent";
    expect(await statusOf(directory)).toBe("active");
    directory.onGap();
    database.state = "answers";
    database.principal = principal("revoked");
    expect(await statusOf(directory)).toBe("revoked");
  });

  test("that is revoked while it is loaded for the first time is loaded again", async () => {
    const { database, directory } = setUp();
    const first = Promise.resolve(directory.find(digest));
    database.principal = principal("revoked");
    directory.forget(({ apiKeyId }) => apiKeyId === 7n);
    await passTime(5);
    expect((await first)?.keyStatus).toBe("active");
    expect(await statusOf(directory)).toBe("revoked");
  });

  test.each(["fails", "is silent"] as const)(
    "serves for two minutes while the database %s, without a long wait for a reload",
    async (state) => {
      const { database, directory } = setUp();
      expect(await statusOf(directory)).toBe("active");
      database.state = state;
      directory.setBlind(true);
      for (let second = 0; second < 115; second += 1) {
        expect(await statusOf(directory, 255)).toBe("active");
        await passTime(750, 250);
      }
      await passTime(10_000, 1_000);
      expect(await statusOf(directory, 255)).toBe("temporarily_unavailable");
    },
  );
});

describe("a key that is not cached", () => {
  test.each([1, 2, 3])("is found although %i connections in a row were lost", async (losses) => {
    const { database, directory } = setUp();
    database.losses = losses;
    expect(await statusOf(directory, 100)).toBe("active");
    expect(database.loads).toBe(losses + 1);
  });

  test.each(["fails", "is silent"] as const)("is unavailable and not missing while the database %s", async (state) => {
    const { database, directory } = setUp();
    database.state = state;
    expect(await statusOf(directory, 2_005)).toBe("temporarily_unavailable");
    database.state = "answers";
    database.principal = null;
    directory.forget(() => true);
    expect(await statusOf(directory)).toBe("absent");
  });
});

describe("a flood of keys that do not exist", () => {
  const wrong = (index: number): string => sha256Hex(`wrong ${index}`);
  const codeOf = (answer: unknown): Promise<unknown> =>
    Promise.resolve(answer).then(
      (found) => found,
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

  test("causes few lookups at a time, and refuses the rest within two seconds", async () => {
    const { database, directory } = setUp();
    database.principal = null;
    database.state = "is silent";
    const answers = Array.from({ length: 3_000 }, (_, index) => codeOf(directory.find(wrong(index))));
    await settlePromises();
    expect(database.loads).toBeLessThanOrEqual(5);
    await passTime(2_000);
    const told = await Promise.all(answers.slice(5));
    expect(new Set(told)).toEqual(new Set(["temporarily_unavailable"]));
    expect(database.loads).toBeLessThanOrEqual(5);
  });

  test("waits its turn while a database that has just come back is slow", async () => {
    const { database, directory } = setUp();
    database.loadMs = 250;
    const found = Array.from({ length: 20 }, (_, index) => directory.find(wrong(index)));
    const statuses = Promise.all(found.map(async (each) => (await each)?.keyStatus));
    await passTime(1_100);
    expect(new Set(await statuses)).toEqual(new Set(["active"]));
  });

  test("evicts no valid key, and each of them is looked up once a second at most", async () => {
    const { database, directory } = setUp();
    expect(await statusOf(directory)).toBe("active");
    database.principal = null;
    for (let round = 0; round < 60; round += 1) {
      const answers = Array.from({ length: 200 }, (_, index) => codeOf(directory.find(wrong(round * 200 + index))));
      await passTime(60);
      expect(new Set(await Promise.all(answers))).toEqual(new Set([null]));
    }
    const { loads } = database;
    expect(directory.find(wrong(60 * 200 - 1))).toBeNull();
    expect(await statusOf(directory)).toBe("active");
    expect([database.loads, directory.size()]).toEqual([loads, 1]);
  });

  test("leaves room for a valid key, once a lookup ends", async () => {
    const { database, directory } = setUp();
    database.principal = null;
    const answers = Array.from({ length: 50 }, (_, index) => codeOf(directory.find(wrong(index))));
    await settlePromises();
    const good = codeOf(directory.find(digest));
    await passTime(20);
    expect([...(await Promise.all(answers)), await good].filter((found) => found !== null)).toEqual([]);
    expect(database.loads).toBe(51);
  });
});
