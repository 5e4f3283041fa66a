import { expect, test } from "bun:test";
import { HeadMemo, type HttpHeader, type HttpRequest } from "@sluice/http-client/model";
import { encodeRequestHead, scratchBytesMin } from "@sluice/http-client/request-head";
import fc from "fast-check";

const lists: readonly (readonly HttpHeader[])[] = [[], [["x-a", "1"]], [["x-a", "2"]], [["x-a", "1"]]];

test("a head that is kept is written like one that is not, whatever was written before", () => {
  const request = fc.record({
    method: fc.constantFrom("POST", "GET"),
    target: fc.constantFrom("/a", "/b"),
    headers: fc.constantFrom(...lists),
    host: fc.constantFrom("a.example", "b.example"),
    body: fc.constantFrom(null, new Uint8Array(), new Uint8Array(12)),
    isKept: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(request, { minLength: 3, maxLength: 30 }), (requests) => {
      const shared = Buffer.alloc(scratchBytesMin);
      const memo = new HeadMemo();
      const write = ({ host, ...parts }: (typeof requests)[number], headMemo: HeadMemo | null, scratch: Buffer) => {
        const sent = { ...parts, headMemo } as unknown as HttpRequest;
        return scratch.toString("latin1", 0, encodeRequestHead(sent, host, scratch));
      };
      const written = requests.map((each) => write(each, each.isKept ? memo : null, shared));
      expect(written).toEqual(requests.map((each) => write(each, null, Buffer.alloc(scratchBytesMin))));
    }),
  );
});

test("a head with a line end in it is never kept", () => {
  const headers = [["x-a", "1\r\nx-b: 2"]] as const;
  const headMemo = new HeadMemo();
  const request = { method: "POST", target: "/", headers, headMemo, body: null } as unknown as HttpRequest;
  const scratch = Buffer.alloc(scratchBytesMin);
  for (const _ of [1, 2]) {
    expect(() => encodeRequestHead(request, "a.example", scratch)).toThrow("line end");
  }
  expect(headMemo.head).toBeNull();
});
