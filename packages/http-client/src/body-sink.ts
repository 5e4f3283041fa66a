import { cutBytes } from "./cut-bytes.ts";
import { type HttpBodySink, HttpClientError } from "./model.ts";

/** The abort reason of a response whose sink threw. If that was one of our own errors, it is the reason itself. */
export function sinkFailure(thrown: unknown): HttpClientError {
  if (thrown instanceof HttpClientError) {
    return thrown;
  }
  const error = new HttpClientError("aborted", true, "the receiver of the body failed");
  error.cause = thrown;
  return error;
}

/** A sink is told what it has thrown at the end, as before it: nobody else could end its work. */
export function notifyEnd(sink: HttpBodySink, isDelimited: boolean): void {
  try {
    sink.onEnd(isDelimited);
  } catch (thrown) {
    notifyError(sink, sinkFailure(thrown));
  }
}

/**
 * An exception from the last callback is a bug in the sink. It must not affect the connection, and nobody is left to
 * report it to.
 */
export function notifyError(sink: HttpBodySink, error: HttpClientError): void {
  try {
    sink.onError(error);
  } catch (thrown) {
    reportError(thrown);
  }
}

/** Gives a sink the bytes of a packet from `start` to `end`, without a view of them if it takes parts. */
export function deliverPart(sink: HttpBodySink, packet: Buffer, start: number, end: number): void {
  if (sink.onPart === undefined) {
    sink.onChunk(cutBytes(packet, start, end));
  } else {
    sink.onPart(packet, start, end);
  }
}
