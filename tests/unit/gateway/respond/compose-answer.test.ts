import { expect, test } from "bun:test";
import { answerHeaders } from "@sluice/control-plane/gateway/respond/compose-answer.ts";
import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import type { HttpHeader, HttpResponse } from "@sluice/http-client/model";
import fc from "fast-check";

const read = ["content-type", "content-encoding", "content-disposition", "openai-version"];
const headersOf = (headers: readonly HttpHeader[], exitNode: string | null = null) =>
  answerHeaders({ headers } as HttpResponse, exitNode);

/** Of repeated headers the first one, of compressions all, and of other headers none. */
function expected(headers: readonly HttpHeader[]): Record<string, string> {
  const groups = Map.groupBy(
    headers.filter(([name]) => read.includes(name)),
    ([name]) => name,
  );
  return Object.fromEntries(
    [...groups].map(([name, found]) => {
      const values = found.map(([, value]) => value);
      return [name, name === "content-encoding" ? values.join(", ") : (values[0] ?? "")];
    }),
  );
}

test("a client gets the headers that say how to read a body, and no others of its provider", () => {
  const header = fc.tuple(fc.constantFrom(...read, "set-cookie", "link", "server"), fc.constantFrom("", "a", "b"));
  fc.assert(
    fc.property(fc.array(header, { maxLength: 8 }), (headers) => {
      expect(headersOf(headers)).toEqual(expected(headers));
      expect(headersOf(headers, "node-1")).toEqual({ ...expected(headers), [exitNodeHeader]: "node-1" });
    }),
  );
});
