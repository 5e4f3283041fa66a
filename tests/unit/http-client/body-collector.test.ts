import { describe, expect, test } from "bun:test";
import { collectorFor } from "@sluice/http-client/body-collector";
import { viewOf } from "@sluice/http-client/packet-part";

const packet = Buffer.from("..body..");

describe("a collector that serves the next body", () => {
  test("has nothing left of the one before", () => {
    const first = collectorFor(10);
    first.onPart(packet, 2, 4);
    first.onPart(packet, 4, 6);
    first.onEnd();
    expect(viewOf(first.takeNow() ?? packet).toString()).toBe("body");
    const second = collectorFor(10);
    expect(second).toBe(first);
    expect(second.takeNow()).toBeNull();
    second.onPart(packet, 2, 3);
    second.onEnd();
    expect(viewOf(second.takeNow() ?? packet).toString()).toBe("b");
  });

  test("has a limit of its own", () => {
    const first = collectorFor(4);
    first.onPart(packet, 2, 6);
    first.onEnd();
    first.takeNow();
    const second = collectorFor(3);
    second.onPart(packet, 2, 5);
    expect(() => second.onPart(packet, 5, 6)).toThrow("larger than 3 bytes");
  });

  test("is not one that still waits for its body, and gets it", async () => {
    const waiting = collectorFor(10);
    expect(waiting.takeNow()).toBeNull();
    const body = waiting.collected();
    const other = collectorFor(10);
    expect(other).not.toBe(waiting);
    waiting.onPart(packet, 2, 6);
    waiting.onEnd();
    expect(viewOf(await body).toString()).toBe("body");
    expect(other.takeNow()).toBeNull();
  });
});
