import { expect, test } from "bun:test";
import { Late } from "@sluice/control-plane/platform/late.ts";

test("is opened once, for the first who asks, and everyone who asks meanwhile gets the same", async () => {
  let opens = 0;
  const late = new Late(async () => {
    opens += 1;
    await Promise.resolve();
    return { opens };
  });
  expect([late.opened, await late.settled(), opens]).toEqual([null, null, 0]);
  const asked = [late.get(), late.get()];
  expect(late.opened).toBeNull();
  const [first, second] = await Promise.all(asked);
  expect([first === second, first === (await late.get()), late.opened === first, opens]).toEqual([true, true, true, 1]);
});

test("a failure reaches everyone who waits, and the next one tries again", async () => {
  let opens = 0;
  const late = new Late(() => {
    opens += 1;
    return opens === 1 ? Promise.reject(new Error("no memory")) : Promise.resolve("open");
  });
  const asked = await Promise.allSettled([late.get(), late.get()]);
  expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([late.opened, opens]).toEqual([null, 1]);
  expect([await late.get(), opens]).toEqual(["open", 2]);
});

test("who ends it waits until it is open, and does not open it", async () => {
  const opening = Promise.withResolvers<string>();
  const late = new Late(() => opening.promise);
  void late.get();
  const ended = late.settled();
  opening.resolve("open");
  expect(await ended).toBe("open");
  const failing = new Late<string>(() => Promise.reject(new Error("no memory")));
  void failing.get().catch(() => undefined);
  expect(await failing.settled()).toBeNull();
});
