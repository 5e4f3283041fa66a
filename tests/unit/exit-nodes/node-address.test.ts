import { describe, expect, test } from "bun:test";
import type { AddressPolicy } from "@sluice/control-plane/exit-nodes/model.ts";
import { checkHost, checkIp, checkRelayUrl, hostUrlOf } from "@sluice/control-plane/exit-nodes/node-address.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { isPrivateAddress } from "@sluice/server-addresses/judge-address";

const strict: AddressPolicy = {
  ports: [443, 8443],
  hostSuffix: null,
  isHttpAllowed: false,
  isAddressAllowed: (address) => !isPrivateAddress(address),
};
const place = { host: "node.example.org", ip: "8.8.4.4" };
const place6 = { host: "node.example.org", ip: "2606:4700::1" };

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return "taken";
}

describe("a relay URL", () => {
  test.each([
    ["https://node.example.org", "https://node.example.org"],
    ["https://node.example.org/", "https://node.example.org"],
    ["https://node.example.org:443", "https://node.example.org"],
    ["https://node.example.org:8443", "https://node.example.org:8443"],
    ["https://8.8.4.4:8443", "https://8.8.4.4:8443"],
  ])("%s is accepted as %s", (text, origin) => {
    expect(checkRelayUrl(text, place, strict)).toBe(origin);
  });

  test("accepts an IPv6 address in brackets", () => {
    expect(checkRelayUrl("https://[2606:4700::1]:8443", place6, strict)).toBe("https://[2606:4700::1]:8443");
  });

  test.each([
    "http://node.example.org",
    "https://u:p@node.example.org",
    "https://u@node.example.org",
    "https://127.1",
    "https://0x7f.1",
    "https://2130706433",
    "https://017700000001",
    "https://[::ffff:10.0.0.1]",
    "https://[::ffff:8.8.4.4]",
    "https://[::]",
    "https://localhost",
    "https://localhost.",
    "https://node.example.org.",
    "https://node.example.org:22",
    "https://node.example.org:0",
    "https://node.example.org:65536",
    "https://node.example.org:08443",
    "https://node.example.org#x",
    "https://node.example.org?x",
    "https://node.example.org/v1",
    "https://node.example.org\\@evil.example.org",
    "https://NODE.example.org",
    "https://nоde.example.org",
    "https://ⓝode.example.org",
    "https://evil.example.org",
    "https://node.example.org.evil.org",
    "https://8.8.4.5",
    "gopher://node.example.org",
    "//node.example.org",
    "node.example.org",
    " https://node.example.org",
    "https://node.example.org\n",
    "https:/node.example.org",
    "",
    `https://node.example.org/${"x".repeat(3_000)}`,
  ])("%p is refused", (text) => {
    expect(codeOf(() => checkRelayUrl(text, place, strict))).toBe("invalid_relay_url");
  });

  test("may be plain http only if that is allowed", () => {
    expect(checkRelayUrl("http://node.example.org", place, { ...strict, isHttpAllowed: true })).toBe(
      "http://node.example.org",
    );
  });

  test("in the host form keeps scheme and port", () => {
    expect(hostUrlOf({ ...place, relayUrl: "http://8.8.4.4:9000" })).toBe("http://node.example.org:9000");
    expect(hostUrlOf({ ...place6, relayUrl: "https://[2606:4700::1]" })).toBe("https://node.example.org");
    expect(hostUrlOf({ ...place, relayUrl: null })).toBe("https://node.example.org");
  });
});

describe("a host", () => {
  test.each(["node.example.org", "a.b-c.example.org", "xn--nde-tna.example.org"])("%s is accepted", (host) => {
    expect(checkHost(host, strict)).toBe(host);
  });

  test.each([
    "localhost",
    "node",
    "node.localhost",
    "node.internal",
    "Node.example.org",
    "node.example.org.",
    "node..org",
    "-a.example.org",
    "127.0.0.1",
    "1.2.3.0x4",
    "nоde.example.org",
    `${"a".repeat(64)}.org`,
    `${"a.".repeat(130)}org`,
    "",
  ])("%p is refused", (host) => {
    expect(codeOf(() => checkHost(host, strict))).toBe("invalid_value");
  });

  test("must be the suffix or a subdomain of it", () => {
    const policy = { ...strict, hostSuffix: "nodes.example.org" };
    expect(codeOf(() => checkHost("a.nodes.example.org", policy))).toBe("taken");
    expect(codeOf(() => checkHost("nodes.example.org", policy))).toBe("taken");
    expect(codeOf(() => checkHost("evilnodes.example.org", policy))).toBe("invalid_value");
  });
});

describe("an address", () => {
  test.each([
    ["8.8.4.4", "8.8.4.4"],
    ["2606:4700:0:0::1", "2606:4700::1"],
    ["::ffff:8.8.4.4", "8.8.4.4"],
  ])("%s is stored as %s", (text, kept) => {
    expect(checkIp(text, strict)).toBe(kept);
  });

  test.each([
    "127.0.0.1",
    "127.1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "0.0.0.0",
    "::1",
    "::",
    "fd00::1",
    "fe80::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "8.8.4.4/32",
    "0x8080404",
    "example.org",
    "",
  ])("%p is refused", (text) => {
    expect(codeOf(() => checkIp(text, strict))).toBe("invalid_value");
  });
});
