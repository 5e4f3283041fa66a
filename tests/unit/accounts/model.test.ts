import { describe, expect, test } from "bun:test";
import { parseDisplayName, safeNext } from "@sluice/control-plane/accounts/model.ts";
import { addressGroup } from "@sluice/control-plane/platform/client-address.ts";

describe("only a local path is opened after a login", () => {
  test.each(["/console/", "/console/keys/?a=b#c", "/docs/quickstart/"])("%s", (next) => {
    expect(safeNext(next)).toBe(next);
  });

  test.each([
    "",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/\n/evil.example",
    "console/",
    "/a/..//evil.example",
    `/${"a".repeat(3_000)}`,
  ])("%j leads to the console", (next) => {
    expect(safeNext(next)).toBe("/console/");
  });
});

describe("a display name is one line that reads as written", () => {
  test("spaces around it are removed, and an empty text is not a name", () => {
    expect(parseDisplayName("  Anna Müller ")).toBe("Anna Müller");
    expect(parseDisplayName("   ")).toBeNull();
    expect(parseDisplayName(null)).toBeNull();
    expect(parseDisplayName("<img onerror=alert(1)>")).toBe("<img onerror=alert(1)>");
  });

  test.each(["a\nb", "a\u202eb", "a\u0000b", "\u200bhidden", "x".repeat(101)])("%j is refused", (name) => {
    expect(parseDisplayName(name)).toBeUndefined();
  });
});

describe("one address is an IPv4 address, or the network of an IPv6 address", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002:ffff::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ])("%s", (ip, group) => {
    expect(addressGroup(ip)).toBe(group);
  });
});
