import { firstEventEnd } from "../respond/stream-events/event-scan.ts";

/** A kept stream as a stream: one event after the other, as fast as the client reads them. */
export function replayEvents(body: Uint8Array, postscript: Uint8Array | null): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at < bytes.length) {
        const end = firstEventEnd(bytes, at);
        controller.enqueue(bytes.subarray(at, end));
        at = end;
      }
      if (at >= bytes.length) {
        if (postscript !== null) {
          controller.enqueue(postscript);
        }
        controller.close();
      }
    },
  });
}
