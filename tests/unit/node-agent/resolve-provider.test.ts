import { describe, expect, test } from "bun:test";
import { AddressNotAllowedError, ProviderResolver } from "@sluice/node-agent/resolve-provider.ts";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";

/** Where the node itself is, for the world. */
const ownAddress = "93.184.216.99";

/** A resolver over a name server that gives one answer after the other, and a clock that stands until it is moved. */
function scene(answers: readonly (readonly string[] | Error)[], options: { private?: boolean; egress?: string } = {}) {
  const state = { nowMs: 0, asked: 0 };
  const resolver = new ProviderResolver({
    lookup: async () => {
      const answer = answers[Math.min(state.asked, answers.length - 1)] ?? [];
      state.asked += 1;
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    },
    isAllowed: serverAddressRule(options.private ?? false, (address) => address === ownAddress),
    egressAddress: options.egress ?? null,
    now: () => state.nowMs,
  });
  return { state, resolve: (name = "provider.example") => resolver.resolve(name) };
}

const publicAddress = "93.184.216.34";

describe("a provider can't be at", () => {
  test.each([
    ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
    ...["224.0.0.1", "255.255.255.255", "192.0.2.1", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "fe80::1"],
    ...["::2", "::7f00:1", "::a9fe:a9fe", "1::1", "4000::1", "5f00::1", "fec0::1"],
    ...["fc00::1", "fd12::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "not an address", ""],
    ...["168.63.129.16", "192.0.0.192", "2606:4700::5efe:a00:5", "2606:4700::200:5efe:7f00:1", ownAddress],
  ])("%s", async (address) => {
    await expect(scene([[address]]).resolve()).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test.each([publicAddress, "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])("but at %s", async (address) => {
    expect(await scene([[address]]).resolve()).toEqual([address]);
  });
});

describe("66: a name", () => {
  test("with a private address among public ones is refused", async () => {
    await expect(scene([[publicAddress, "10.0.0.1"]]).resolve()).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test("that is a private address is refused", async () => {
    await expect(scene([]).resolve("169.254.169.254")).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test("that changes to a private address is refused once it is resolved again, and leads nowhere else before", async () => {
    const { state, resolve } = scene([[publicAddress], ["127.0.0.1"]]);
    expect(await resolve()).toEqual([publicAddress]);
    expect(await resolve()).toEqual([publicAddress]);
    expect(state.asked).toBe(1);
    state.nowMs = 31_000;
    await expect(resolve()).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test("that does not exist is unreachable, and resolved again", async () => {
    const { state, resolve } = scene([new Error("NXDOMAIN"), [publicAddress]]);
    await expect(resolve()).rejects.toMatchObject({ kind: "unreachable" });
    expect(await resolve()).toEqual([publicAddress]);
    expect(state.asked).toBe(2);
  });

  test("without any address is unreachable", async () => {
    await expect(scene([[]]).resolve()).rejects.toMatchObject({ kind: "unreachable" });
  });

  test("is resolved once for many calls", async () => {
    const { state, resolve } = scene([[publicAddress]]);
    await Promise.all(Array.from({ length: 20 }, () => resolve()));
    expect(state.asked).toBe(1);
  });

  test("with private addresses is allowed where they are", async () => {
    expect(await scene([["10.0.0.1"]], { private: true }).resolve()).toEqual(["10.0.0.1"]);
  });

  test.each([
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "fd00:ec2::254",
    "fe80::1",
    "0.0.0.0",
  ])("that resolves to %s is refused even if private addresses are allowed", async (address) => {
    const { resolve } = scene([["10.0.0.1", address]], { private: true });
    await expect(resolve()).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test("resolves to addresses of the family that the node sends from", async () => {
    const both = [publicAddress, "2606:4700::1111"];
    expect(await scene([both], { egress: "203.0.113.9" }).resolve()).toEqual([publicAddress]);
    expect(await scene([both], { egress: "2001:db8::9" }).resolve()).toEqual(["2606:4700::1111"]);
    await expect(scene([[publicAddress]], { egress: "2001:db8::9" }).resolve()).rejects.toMatchObject({
      kind: "unreachable",
    });
  });
});
