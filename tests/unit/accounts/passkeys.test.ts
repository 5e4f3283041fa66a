import { expect, test } from "bun:test";
import { isCopied, relyingPartyOf } from "@sluice/control-plane/accounts/passkeys/model.ts";

test("the site of passkeys is the domain of the service, whatever the port", () => {
  expect(relyingPartyOf("https://gateway.example.org:8443")).toEqual({
    id: "gateway.example.org",
    origin: "https://gateway.example.org:8443",
  });
  expect(relyingPartyOf("http://localhost:3000")?.id).toBe("localhost");
});

test.each(["https://127.0.0.1", "https://0x7f000001", "http://[::1]:3000", "http://gateway.example.org"])(
  "%s is not an address for passkeys",
  (url) => {
    expect(relyingPartyOf(url)).toBeNull();
  },
);

test.each([
  [0, 0, false],
  [0, 1, false],
  [1, 2, false],
  [2, 2, true],
  [2, 1, true],
  [2, 0, true],
])("a counter of %i that becomes %i says %p about a copy", (before, now, isCopy) => {
  expect(isCopied(before, now)).toBe(isCopy);
});
