import { describe, expect, test } from "bun:test";
import { copyBytes, PacketPart, partOf, viewOf } from "@sluice/http-client/packet-part";

const packet = Buffer.from("head body next");
const part = () => new PacketPart(packet, 5, 9);

describe("a part of a packet", () => {
  test("is the bytes between its ends for everyone who asks", () => {
    expect(part().byteLength).toBe(4);
    expect(part().view.toString()).toBe("body");
    expect(viewOf(part()).toString()).toBe("body");
    const target = Buffer.from("......");
    copyBytes(part(), target, 1);
    expect(target.toString()).toBe(".body.");
  });

  test("makes one view, which is the packet itself if it is all of that", () => {
    const own = part();
    expect(own.view).toBe(own.view);
    expect(new PacketPart(packet, 0, packet.length).view).toBe(packet);
  });

  test.each([
    ["a part", part()],
    ["a list of bytes", new Uint8Array(Buffer.from("body"))],
    ["a view", packet.subarray(5, 9)],
  ])("is copied as far as asked, and so is %s", (_what, bytes) => {
    const target = Buffer.from("......");
    copyBytes(bytes, target, 2, 3);
    expect(target.toString()).toBe("..bod.");
    expect(partOf(bytes).view.toString()).toBe("body");
    expect(viewOf(bytes).toString()).toBe("body");
  });
});
