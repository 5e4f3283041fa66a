import { describe, expect, test } from "bun:test";
import { RequestWriter } from "@sluice/http-client/request-writer";
import fc from "fast-check";

/** A socket that takes so many bytes per call, then as many as it gets; 0 when it is full, -1 when it is closed. */
function socketTaking(portions: readonly number[]) {
  const left = [...portions];
  const taken: Uint8Array[] = [];
  return {
    taken: () => Buffer.concat(taken),
    write: (bytes: Uint8Array, offset: number, length: number): number => {
      const portion = left.shift() ?? length;
      const accepted = Math.min(portion, length);
      if (accepted > 0) {
        taken.push(new Uint8Array(bytes.subarray(offset, offset + accepted)));
      }
      return accepted;
    },
  };
}

const head = "POST / HTTP/1.1\r\n\r\n";

function scratchWith(text: string): Buffer<ArrayBuffer> {
  const scratch = Buffer.alloc(256 * 1024);
  scratch.write(text, "latin1");
  return scratch;
}

/** A writer, and what it told about each request: whether the socket was open. */
function newWriter() {
  const begun: boolean[] = [];
  return { writer: new RequestWriter({ onBegun: (isOpen) => begun.push(isOpen) }), begun };
}

describe("writing a request", () => {
  test("whatever the socket accepts at a time, it gets head and body once and in order, scratch reused or not", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 10, 3_000, 70_000),
        fc.array(fc.constantFrom(0, 1, 7, 19, 500, 40_000), { maxLength: 8 }),
        (bodyLength, portions) => {
          const body = new Uint8Array(bodyLength).map((_, index) => index % 251);
          const socket = socketTaking(portions);
          const scratch = scratchWith(head);
          const { writer, begun } = newWriter();
          writer.start(socket, scratch, head.length, body);
          expect(begun).toEqual([true]);
          for (let drains = 0; !writer.isFinished && drains < 20; drains += 1) {
            // Another request has been encoded meanwhile.
            scratch.fill(120);
            const acceptedBytes = writer.acceptedBytes;
            expect(writer.flush(socket)).toBe(writer.acceptedBytes > acceptedBytes);
          }
          expect(writer.isFinished).toBe(true);
          expect(writer.acceptedBytes).toBe(head.length + bodyLength);
          expect(socket.taken().equals(Buffer.concat([Buffer.from(head), body]))).toBe(true);
        },
      ),
    );
  });

  test("a small body is sent together with its head, in one call", () => {
    const calls: number[] = [];
    const { writer } = newWriter();
    const socket = {
      write: (_bytes: Uint8Array, _offset: number, length: number): number => {
        calls.push(length);
        return length;
      },
    };
    writer.start(socket, scratchWith(head), head.length, new Uint8Array(2_000));
    expect(calls).toEqual([head.length + 2_000]);
  });

  test("a closed socket is reported, and nothing counts as accepted", () => {
    const { writer, begun } = newWriter();
    writer.start({ write: () => -1 }, scratchWith(head), head.length, null);
    expect(begun).toEqual([false]);
    expect(writer.acceptedBytes).toBe(0);
  });
});
