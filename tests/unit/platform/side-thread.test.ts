import { afterAll, afterEach, expect, test } from "bun:test";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { SideThread } from "@sluice/control-plane/platform/side-thread.ts";
import { silentLog } from "../../support/trace/trace-fixtures.ts";

/** Echoes its input, blocks for a while, fails, or dies. */
const module = `
addEventListener("message", ({ data }) => {
  if (data.spinMs !== undefined) {
    const until = performance.now() + data.spinMs;
    while (performance.now() < until) {}
  }
  if (data.dies) {
    setTimeout(() => { throw new Error("dead"); });
    return;
  }
  postMessage(data.fails ? { error: data.say } : { result: data.say });
});
`;
const address = new URL(URL.createObjectURL(new Blob([module], { type: "text/javascript" })));
const open = () => new SideThread(address, (error) => new Error(`told: ${String(error)}`), silentLog);

let thread = open();
afterEach(() => {
  thread.stop();
  thread = open();
});
afterAll(() => thread.stop());

test("requests are handled one at a time, in order of arrival", async () => {
  const ended: unknown[] = [];
  const orders = [30, 0, 10].map((spinMs, say) => thread.run({ spinMs, say }, []).then((said) => ended.push(said)));
  await Promise.all(orders);
  expect(ended).toEqual([0, 1, 2]);
});

test("the main thread continues while the side thread works", async () => {
  let turns = 0;
  let isOver = false;
  await thread.run({ say: "up" }, []);
  const working = thread.run({ spinMs: 100, say: "done" }, []).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  expect(await working).toBe("done");
  expect(turns).toBeGreaterThan(10);
});

test("a failure of the thread is reported in the words that it sent, and the next request is handled", async () => {
  const [failed, next] = [thread.run({ fails: true, say: "no" }, []), thread.run({ say: "yes" }, [])];
  expect(failed).rejects.toThrow("told: no");
  expect(await next).toBe("yes");
});

test("a request that kills the thread is the only one lost", async () => {
  const [lost, next] = [thread.run({ dies: true }, []), thread.run({ say: "yes" }, [])];
  expect(lost).rejects.toThrow("the side thread failed");
  expect(await next).toBe("yes");
});

test("too many requests are refused, and those that wait at the end are notified", async () => {
  const orders = Array.from({ length: 65 }, (_, say) => thread.run({ spinMs: say === 0 ? 1_000 : 0, say }, []));
  const ends = Promise.allSettled(orders);
  const refused = await thread.run({ say: 66 }, []).catch((error: unknown) => error);
  expect([refused instanceof AppError, (refused as AppError).code]).toEqual([true, "temporarily_unavailable"]);
  thread.stop();
  const codes = (await ends).map((end) => (end.status === "rejected" ? (end.reason as AppError).code : "done"));
  expect(codes).toEqual(Array.from({ length: 65 }, () => "shutting_down"));
});
