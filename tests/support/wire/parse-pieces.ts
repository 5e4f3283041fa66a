import { expect } from "bun:test";
import { Http1ParseError } from "@sluice/http-client/response-head";
import { Http1ResponseParser } from "@sluice/http-client/response-parser";

/** What a parser made of some bytes. */
export type ParseOutcome = {
  status: number | null;
  headers: readonly (readonly [string, string])[];
  contentLength: number | null;
  isKeepAlive: boolean | null;
  body: string;
  /** `delimited`, `closed`, or null when the response did not end. */
  end: "delimited" | "closed" | null;
  surplus: string;
  error: "malformed" | "too_large" | null;
};

/** Feeds the pieces in order and then the end of the connection. */
export function parsePieces(
  pieces: readonly Buffer[],
  isHeadRequest = false,
  /** Whether the parser is stopped from within each piece of the body. */
  isStopping = false,
): ParseOutcome {
  const outcome: ParseOutcome = {
    status: null,
    headers: [],
    contentLength: null,
    isKeepAlive: null,
    body: "",
    end: null,
    surplus: "",
    error: null,
  };
  const parser = new Http1ResponseParser({
    onHead: ({ status, headers, contentLength, isKeepAlive }) => {
      Object.assign(outcome, { status, headers, contentLength, isKeepAlive });
    },
    onBody: (packet, start, end) => {
      expect(end).toBeGreaterThan(start);
      parser.isStopped = isStopping;
      outcome.body += packet.toString("latin1", start, end);
    },
    onComplete: (isDelimited) => {
      expect(outcome.end).toBeNull();
      outcome.end = isDelimited ? "delimited" : "closed";
    },
  });
  parser.begin(isHeadRequest);
  try {
    for (const piece of pieces) {
      let offset = 0;
      let before = -1;
      while (offset < piece.length && offset !== before) {
        before = offset;
        parser.isStopped = false;
        offset = parser.push(piece, offset);
      }
      outcome.surplus += Buffer.from(piece.subarray(offset)).toString("latin1");
    }
    parser.finish();
  } catch (error) {
    if (!(error instanceof Http1ParseError)) {
      throw error;
    }
    outcome.error = error.kind;
  }
  return outcome;
}

export function parse(text: string, isHeadRequest = false): ParseOutcome {
  return parsePieces([Buffer.from(text, "latin1")], isHeadRequest);
}

export function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const sorted = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length));
}
