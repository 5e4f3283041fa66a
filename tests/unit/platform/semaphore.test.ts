import { expect, test } from "bun:test";
import { Semaphore, SemaphoreFullError } from "@sluice/control-plane/platform/semaphore.ts";

test("a semaphore runs a limited number at a time, in order, and refuses more than may wait", async () => {
  const semaphore = new Semaphore({ runningMax: 2, waitingMax: 1, waitMsMax: 60_000 });
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const runs = gates.map((gate, index) =>
    semaphore.run(() => {
      begun.push(index);
      return gate.promise;
    }),
  );
  await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow(SemaphoreFullError);
  expect(begun).toEqual([0, 1]);
  gates[1]?.resolve();
  await runs[1];
  expect(begun).toEqual([0, 1, 2]);
  gates[0]?.resolve();
  gates[2]?.resolve();
  await Promise.all(runs);
});

test("anyone who waits longer than the limit is refused, and leaves the place in the queue to others", async () => {
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: 1, waitMsMax: 1 });
  const gate = Promise.withResolvers<void>();
  const first = semaphore.run(() => gate.promise);
  await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow(SemaphoreFullError);
  const next = semaphore.run(() => Promise.resolve("done"));
  gate.resolve();
  await first;
  expect(await next).toBe("done");
});

test("the work's own error is passed on, and its slot is free again", async () => {
  const semaphore = new Semaphore({ runningMax: 1, waitingMax: 0, waitMsMax: 1 });
  await expect(semaphore.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await semaphore.run(() => Promise.resolve(1))).toBe(1);
});
