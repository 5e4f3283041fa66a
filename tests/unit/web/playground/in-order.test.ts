import { expect, test } from "bun:test";
import { createInOrder } from "@sluice/web/src/console/pages/playground/in-order.ts";

test("a work begins when the one before has ended, even if that failed", async () => {
  const inOrder = createInOrder();
  const begun: string[] = [];
  const slow = Promise.withResolvers<string>();
  const first = inOrder(async () => {
    begun.push("first");
    return await slow.promise;
  });
  const second = inOrder(async () => {
    begun.push("second");
    throw new Error("no room");
  });
  const third = inOrder(async () => {
    begun.push("third");
    return await Promise.resolve(3);
  });
  await Promise.resolve();
  expect(begun).toEqual(["first"]);
  slow.resolve("stored");
  expect(await first).toBe("stored");
  await expect(second).rejects.toThrow("no room");
  expect(await third).toBe(3);
  expect(begun).toEqual(["first", "second", "third"]);
});
