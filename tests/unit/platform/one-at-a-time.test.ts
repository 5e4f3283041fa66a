import { expect, test } from "bun:test";
import type { AppError } from "@sluice/control-plane/platform/errors.ts";
import { OneAtATime } from "@sluice/control-plane/platform/one-at-a-time.ts";

test("one key does one thing at a time, in order, whatever others do", async () => {
  const lane = new OneAtATime<string>();
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      gates.set(name, () => resolve(name));
    });
  const running = [lane.run("a", work("a1")), lane.run("a", work("a2")), lane.run("b", work("b1"))];
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(["a1", "b1"]);
  gates.get("a1")?.();
  expect(await running[0]).toBe("a1");
  await Promise.resolve();
  expect(begun).toEqual(["a1", "b1", "a2"]);
  gates.get("a2")?.();
  gates.get("b1")?.();
  expect(await Promise.all(running)).toEqual(["a1", "a2", "b1"]);
});

test("a failure does not stop those who wait", async () => {
  const lane = new OneAtATime<string>();
  const failing = lane.run("a", () => Promise.reject(new Error("no")));
  const next = lane.run("a", () => Promise.resolve("yes"));
  expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("a key with eight queued tasks gets no ninth, and others still get their own", async () => {
  const lane = new OneAtATime<string>();
  const gate = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 9 }, () => lane.run("a", () => gate.promise));
  const refused = (await lane.run("a", () => gate.promise).catch((error: unknown) => error)) as AppError;
  expect([refused.code, refused.retryAfterSeconds]).toEqual(["rate_limit_exceeded", 1]);
  expect(await lane.run("b", () => Promise.resolve("mine"))).toBe("mine");
  gate.resolve("done");
  expect(await Promise.all(waiting)).toHaveLength(9);
  expect(await lane.run("a", () => Promise.resolve("again"))).toBe("again");
});
