import { describe, expect, test } from "bun:test";
import { UnreadBytes } from "@sluice/http-client/unread-bytes";

describe("bytes that wait for their reader", () => {
  const packet = Buffer.alloc(512 * 1024, "abcdefgh");

  test("stay in their packet while most of it is unread", () => {
    for (const start of [0, 500, packet.length / 2 - 1]) {
      const unread = new UnreadBytes();
      unread.keep(packet, start);
      expect(unread.take()).toBe(packet);
      expect(unread.start).toBe(start);
    }
  });

  test("are copied once most of a large packet was read, so that the packet can be freed", () => {
    const unread = new UnreadBytes();
    unread.keep(packet, packet.length - 100);
    const rest = unread.take();
    expect(unread.start).toBe(0);
    expect(rest?.buffer.byteLength).toBe(100);
    expect(rest?.equals(packet.subarray(-100))).toBe(true);
  });

  test("come in the order of their packets", () => {
    const unread = new UnreadBytes();
    unread.add(Buffer.from("read, left "));
    unread.keep(unread.take() ?? Buffer.alloc(0), 6);
    unread.add(Buffer.from("and more"));
    expect(unread.take()?.toString("utf8", unread.start)).toBe("left and more");
    expect(unread.isEmpty).toBe(true);
    expect(unread.take()).toBeNull();
  });
});
