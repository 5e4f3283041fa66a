import { expect, test } from "bun:test";
import { encodeTraits, readLink, signCall } from "@sluice/control-plane/gateway/remote/link.ts";

const linkKey = new Uint8Array(32).fill(7);
const clientIp = "192.0.2.7";

function linked(requestId: string, authorization: string, signedFor = authorization): Headers {
  const signature = signCall(linkKey, { requestId, clientIp, headers: new Headers({ authorization: signedFor }) });
  return new Headers({
    authorization,
    "x-request-id": requestId,
    "x-sluice-client-address": clientIp,
    "x-sluice-link": signature,
  });
}

test("a relay of this deployment is trusted", () => {
  const requestId = Bun.randomUUIDv7();
  expect(readLink(linked(requestId, "Bearer one"), [linkKey])).toEqual({
    requestId,
    clientAddress: clientIp,
    traits: null,
  });
});

test("an intercepted signature is worthless with another API key", () => {
  expect(readLink(linked(Bun.randomUUIDv7(), "Bearer two", "Bearer one"), [linkKey])).toBeNull();
});

test("an intercepted signature is worthless later", () => {
  const old = Bun.randomUUIDv7("hex", Date.now() - 121_000);
  expect(readLink(linked(old, "Bearer one"), [linkKey])).toBeNull();
});

test("an id that is not a UUID is ignored, although it was signed: rows are written with it as it is", () => {
  const requestId = Bun.randomUUIDv7();
  for (const wrong of [`${requestId}"`, `${requestId.slice(0, -1)}"`, requestId.toUpperCase()]) {
    expect(readLink(linked(wrong, "Bearer one"), [linkKey])).toBeNull();
  }
});

test("a signature under another key, or for another address, is ignored", () => {
  const headers = linked(Bun.randomUUIDv7(), "Bearer one");
  expect(readLink(headers, [new Uint8Array(32).fill(8)])).toBeNull();
  headers.set("x-sluice-client-address", "192.0.2.8");
  expect(readLink(headers, [linkKey])).toBeNull();
});

test("during a rotation of the master key, a signature under either key is accepted", () => {
  const requestId = Bun.randomUUIDv7();
  const other = new Uint8Array(32).fill(8);
  expect(readLink(linked(requestId, "Bearer one"), [other, linkKey])).toEqual({
    requestId,
    clientAddress: clientIp,
    traits: null,
  });
});

test("traits of a call are covered by the signature, and can't be changed by anyone else", () => {
  const requestId = Bun.randomUUIDv7();
  const authorization = "Bearer one";
  for (const traits of [
    { clientModel: "claude", modelFlags: {} },
    { clientModel: "a, model = \u00fc", modelFlags: { max_output: 5, reasoning_efforts: ["low"] } } as const,
  ]) {
    const encodedTraits = encodeTraits(traits);
    const signature = signCall(linkKey, {
      requestId,
      clientIp,
      headers: new Headers({ authorization }),
      encodedTraits,
    });
    const headers = linked(requestId, authorization);
    headers.set("x-sluice-link", signature);
    headers.set("x-sluice-traits", encodedTraits);
    expect(readLink(headers, [linkKey])?.traits).toEqual(traits);
    headers.set("x-sluice-traits", `${encodedTraits},more`);
    expect(readLink(headers, [linkKey])).toBeNull();
    headers.delete("x-sluice-traits");
    expect(readLink(headers, [linkKey])).toBeNull();
  }
});
