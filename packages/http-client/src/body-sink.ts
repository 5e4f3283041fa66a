import { type HttpBodySink, HttpClientError } from "./model.ts";

/** The abort reason of a response whose sink threw from `onChunk`; an error of our own sinks is the reason itself. */
export function sinkFailure(thrown: unknown): HttpClientError {
  if (thrown instanceof HttpClientError) {
    return thrown;
  }
  const error = new HttpClientError("aborted", true, "the receiver of the body failed");
  error.cause = thrown;
  return error;
}

/** Nobody is left to inform when the last callback throws: that is a bug, and not the connection's business. */
export function tellEnd(sink: HttpBodySink, isDelimited: boolean): void {
  try {
    sink.onEnd(isDelimited);
  } catch (thrown) {
    reportError(thrown);
  }
}

export function tellError(sink: HttpBodySink, error: HttpClientError): void {
  try {
    sink.onError(error);
  } catch (thrown) {
    reportError(thrown);
  }
}
