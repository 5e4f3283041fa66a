import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { openPayload } from "@sluice/control-plane/trace/payload-sealing.ts";
import { closeQueues, day, key, newQueue } from "../../support/trace/payload-queue.ts";
import { payloadOf } from "../../support/trace/trace-fixtures.ts";

afterEach(closeQueues);

/** The sizes of the rings that follow the first one, in MB. */
function noteRings(thread: ReturnType<typeof newQueue>["thread"]): number[] {
  const sizes: number[] = [];
  const { post } = thread;
  spyOn(thread, "post").mockImplementation((order) => {
    if ("ring" in order) {
      sizes.push(Math.floor((order.ring as SharedArrayBuffer).byteLength / 2 ** 20));
    }
    post.call(thread, order);
  });
  return sizes;
}

describe("the memory that a queue of payloads shares", () => {
  test("drops what does not fit into the memory that is shared, whatever the limit", async () => {
    const { queue, counts } = newQueue({
      limits: { bodyBytesMax: 4_000_000, queueBytesMax: 2 ** 30, queueCountMax: 100 },
    });
    const request = randomBytes(4_000_000);
    const fates = Array.from({ length: 8 }, () => queue.offer(payloadOf({ day, request })));
    // A ring of 8 MB, and one of 16.
    expect(fates).toEqual([...Array(6).fill("stored"), "dropped", "dropped"]);
    expect(Object.fromEntries(counts.dropped)).toEqual({ queue_full: 2 });
    await counts.untilStored(6);
    expect(queue.offer(payloadOf({ day, request }))).toBe("stored");
  });

  test("shares more memory only when payloads come faster than they are fetched, and keeps their order", async () => {
    const { queue, table, counts, thread } = newQueue();
    const sizes = noteRings(thread);
    const offer = (count: number) => {
      const payloads = Array.from({ length: count }, () => payloadOf({ day, request: randomBytes(5_000) }));
      expect(payloads.map((each) => queue.offer(each))).toEqual(Array(count).fill("stored"));
      return payloads;
    };
    const offered = [...offer(150)];
    await counts.untilStored(150);
    expect(sizes).toEqual([]);
    offered.push(...offer(2_000));
    await counts.untilStored(2_150);
    offered.push(...offer(300));
    await counts.untilStored(2_450);
    expect(sizes).toEqual([4, 8]);
    expect(table.rows.map(({ requestId }) => requestId)).toEqual(offered.map(({ requestId }) => requestId));
    for (const [index, row] of table.rows.entries()) {
      expect(Buffer.from(openPayload(key, row).request ?? []).equals(offered[index]?.request as Buffer)).toBe(true);
    }
  });

  test("shares less memory again when a burst is over, and keeps the order of what is in both", async () => {
    const { queue, table, counts, thread } = newQueue();
    const sizes = noteRings(thread);
    const offered: ReturnType<typeof payloadOf>["requestId"][] = [];
    const offer = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const payload = payloadOf({ day, request: randomBytes(50_000) });
        expect(queue.offer(payload)).toBe("stored");
        offered.push(payload.requestId);
      }
      await counts.untilStored(offered.length);
    };
    await offer(50);
    expect(sizes).toEqual([4]);
    while (sizes.length < 2) {
      await offer(15);
    }
    expect(sizes).toEqual([4, 2]);
    // The burst is forgotten once what waits has been little for four times its size, and not before.
    expect(offered.length).toBeGreaterThan(4 * 80);
    expect(offered.length).toBeLessThan(10 * 80);
    expect(table.rows.map(({ requestId }) => requestId)).toEqual(offered);
  });

  test("closing writes what is in each of the rings that follow each other", async () => {
    const { queue, table } = newQueue();
    for (let index = 0; index < 700; index += 1) {
      expect(queue.offer(payloadOf({ day, request: randomBytes(5_000) }))).toBe("stored");
    }
    await queue.close(10_000);
    expect(table.rows).toHaveLength(700);
  });
});
