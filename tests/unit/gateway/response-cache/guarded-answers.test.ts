import { describe, expect, test } from "bun:test";
import type { KeptAnswer } from "@sluice/control-plane/gateway/response-cache/model.ts";
import { openAnswer, sealAnswer } from "@sluice/control-plane/gateway/response-cache/shared/answer-codec.ts";
import {
  GuardedAnswers,
  type SealedStore,
} from "@sluice/control-plane/gateway/response-cache/shared/guarded-answers.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { keyIdOf, SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import fc from "fast-check";
import { promptMs } from "../../../support/values/patience.ts";

const secret = new Uint8Array(32).fill(3);
const key = new SealingKey(keyIdOf(secret), secret);
const answer: KeptAnswer = {
  headers: { "content-type": "application/json" },
  body: Buffer.from("what a customer was answered, what a customer was answered"),
  isStream: false,
  units: { ...noUnits, inputTokens: 12, outputTokens: 9_007_199_254_740_993n, images: 2 },
  keptAtMs: 5,
  expiresAtMs: 1_000_000,
};

class MapStore implements SealedStore {
  readonly sealed = new Map<string, Uint8Array>();
  asked = 0;
  resets = 0;
  mode: "works" | "fails" | "hangs" = "works";

  async find(digest: string): Promise<Uint8Array | null> {
    await this.#behave();
    return this.sealed.get(digest) ?? null;
  }

  async keep(digest: string, sealed: Uint8Array): Promise<void> {
    await this.#behave();
    this.sealed.set(digest, sealed);
  }

  reset(): void {
    this.resets += 1;
  }

  close(): void {
    this.mode = "fails";
  }

  async #behave(): Promise<void> {
    this.asked += 1;
    if (this.mode === "fails") {
      throw new Error("refused");
    }
    if (this.mode === "hangs") {
      await new Promise(() => undefined);
    }
  }
}

function setUp() {
  const store = new MapStore();
  const failures: string[] = [];
  const lines: string[] = [];
  let tick = 0;
  const clock = { now: () => 10, tick: () => tick };
  const log = createLog("info", (line) => lines.push(line));
  const answers = new GuardedAnswers({ store, key, clock, log, onFailure: (reason) => failures.push(reason) });
  return { store, failures, lines, answers, pass: (ms: number) => (tick += ms) };
}

describe("answers outside of the process", () => {
  test("come back as they were, and can't be read where they are", async () => {
    const { store, answers } = setUp();
    await answers.keep("d1", answer);
    const [sealed] = [...store.sealed.values()];
    expect(Buffer.from(sealed ?? []).includes("customer")).toBe(false);
    const back = await answers.find("d1");
    expect({ ...back, body: String(back?.body) }).toEqual({ ...answer, body: String(answer.body) });
  });

  test("are whatever bytes they were", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), async (body, isStream) => {
        const sealed = await sealAnswer(key, "d", { ...answer, body, isStream });
        const back = await openAnswer(key, "d", sealed);
        expect([Buffer.from(back?.body ?? []).equals(Buffer.from(body)), back?.isStream]).toEqual([true, isStream]);
      }),
      { numRuns: 50 },
    );
  });

  test("are none if they belong to another request, or were altered", async () => {
    const { store, answers, failures } = setUp();
    await answers.keep("d1", answer);
    const sealed = store.sealed.get("d1") ?? new Uint8Array();
    store.sealed.set("d2", sealed);
    expect(await answers.find("d2")).toBeNull();
    store.sealed.set("d1", sealed.with(sealed.length - 1, (sealed.at(-1) ?? 0) ^ 1));
    expect(await answers.find("d1")).toBeNull();
    expect(failures).toEqual([]);
  });
});

describe("a store that fails", () => {
  test("delays a call by no more than a moment, and is left alone for a while", async () => {
    const { store, answers, failures, lines, pass } = setUp();
    store.mode = "hangs";
    const startedAt = performance.now();
    expect(await answers.find("d")).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(promptMs);
    expect([failures, store.resets]).toEqual([["timeout"], 1]);
    for (let call = 0; call < 20; call += 1) {
      expect(await answers.find("d")).toBeNull();
    }
    expect([store.asked, lines.length]).toEqual([1, 1]);
    pass(5_000);
    expect(await answers.find("d")).toBeNull();
    expect([store.asked, lines.length]).toEqual([2, 1]);
  });

  test("is tried by one call after its rest, and used by all again once that succeeds", async () => {
    const { store, answers, failures, lines, pass } = setUp();
    store.mode = "fails";
    await answers.find("d");
    pass(5_000);
    store.mode = "works";
    await Promise.all([answers.find("d"), answers.find("d"), answers.find("d")]);
    expect(store.asked).toBe(2);
    await Promise.all([answers.find("d"), answers.find("d")]);
    expect([store.asked, failures]).toEqual([4, ["error"]]);
    expect(lines).toHaveLength(2);
  });

  test("gets no more than it takes: what is too much is not kept", async () => {
    const { store, answers, failures } = setUp();
    store.mode = "hangs";
    const many = Array.from({ length: 70 }, (_, index) => answers.keep(`d${index}`, answer));
    expect(failures.filter((reason) => reason === "full")).toHaveLength(6);
    answers.close();
    await Promise.all(many);
  });
});
