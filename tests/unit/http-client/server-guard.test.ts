import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { AddressRefusedError, type Lookup, ServerGuard } from "@sluice/http-client/server-guard";
import { serverAddressRule } from "@sluice/server-addresses/server-address-rule";

const publicOnly = serverAddressRule(false);
const guardOver = (lookup: Lookup) => new ServerGuard({ isAllowed: publicOnly, lookup });
const api = { hostname: "api.example.org", port: 443 };
const leadsTo = (...addresses: string[]) => guardOver(() => Promise.resolve(addresses)).addressesOf(api);

describe("the addresses that model servers may have", () => {
  const private_ = [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.9",
    "100.64.0.1",
    "::1",
    "fd12::1",
    "::ffff:10.0.0.1",
  ];
  const never = ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "fd00:ec2::254", "168.63.129.16", "0.0.0.0"];

  test("are public ones, unless others are allowed", () => {
    expect(["8.8.4.4", "2606:4700::1111"].every(publicOnly)).toBe(true);
    expect(private_.filter(publicOnly)).toEqual([]);
    expect(private_.filter(serverAddressRule(true))).toEqual(private_);
  });

  test("are never those where clouds keep credentials", () => {
    expect(never.filter(publicOnly)).toEqual([]);
    expect(never.filter(serverAddressRule(true))).toEqual([]);
  });

  test("are used in their canonical form, however a name server or a channel writes them", async () => {
    expect(await leadsTo("::ffff:8.8.4.4", "2606:4700:0:0:0:0:0:1111")).toEqual(["8.8.4.4", "2606:4700::1111"]);
    const literal = { hostname: "::ffff:8.8.4.4", port: 443 };
    expect(await guardOver(() => Promise.resolve([])).addressesOf(literal)).toEqual(["8.8.4.4"]);
  });

  test("are judged by what an IPv6 translator makes of them", () => {
    // As a name server says it in a network of IPv6 alone: 8.8.4.4, 10.0.0.1 and 169.254.169.254.
    expect(publicOnly("64:ff9b::808:404")).toBe(true);
    expect(["64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "2002:a00:1::1"].filter(publicOnly)).toEqual([]);
    const packed = ["64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "2002:a9fe:a9fe::1"];
    expect(packed.filter(serverAddressRule(true))).toEqual([]);
    expect(serverAddressRule(true)("64:ff9b::a00:1")).toBe(true);
  });

  test("are never those of a machine, however they are embedded in IPv6", () => {
    const link = "a9fe:a9fe"; // 169.254.169.254
    const packed = [
      `::${link}`,
      `64:ff9b::${link}`,
      `64:ff9b:1::${link}`,
      "64:ff9b:1:a9fe:a9:fe00::",
      "64:ff9b:1:a9:fe:a9fe::",
      "64:ff9b:1:0:a9:fea9:fe00:0",
      `::ffff:0:${link}`,
      `2002:${link}::1`,
      `2001:0:${link}::1`,
      "2001:0:808:404::5601:5601",
      `2606:4700::5efe:${link}`,
      `2606:4700::200:5efe:${link}`,
      `::ffff:${link}`,
    ];
    expect(packed.filter(serverAddressRule(true))).toEqual([]);
    expect(packed.filter(publicOnly)).toEqual([]);
    const clouds = ["192.0.0.192", "100.100.100.200", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42", "::c000:c0"];
    expect(clouds.filter(serverAddressRule(true))).toEqual([]);
    // Loopback and prefixes with nothing packed into them ask for no such address.
    expect(["::1", "64:ff9b:1::a00:1", "fd12::1"].filter(serverAddressRule(true))).toHaveLength(3);
  });

  test("in IPv6 are those that are assigned to public servers", () => {
    const elsewhere = [
      "::2",
      "::7f00:1",
      "::a00:1",
      "1::1",
      "100::1",
      "200::1",
      "4000::1",
      "5f00::1",
      "e000::1",
      "fec0::1",
      "2001::1",
      "2001:db8::1",
      "2002:a00:1::1",
      "2606:4700::5efe:10.0.0.1",
      "3fff::1",
    ];
    expect(elsewhere.filter(publicOnly)).toEqual([]);
    const everywhere = ["2606:4700::1111", "2a00:1450:4001::200e", "2606:4700::5efe:8.8.4.4", "2400:cb00::1"];
    expect(everywhere.filter(publicOnly)).toEqual(everywhere);
  });

  test("are not this machine's own public addresses, whatever others are allowed", () => {
    const own = new Set(["8.8.4.4", "2606:4700::1111"]);
    const rule = serverAddressRule(false, (address) => own.has(address));
    expect(["8.8.4.4", "8.8.8.8", "2606:4700::1111", "2606:4700::1112"].filter(rule)).toEqual([
      "8.8.8.8",
      "2606:4700::1112",
    ]);
    expect(serverAddressRule(true, () => true)("8.8.4.4")).toBe(true);
  });

  test("are not those of this machine", () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    expect(own.filter(publicOnly)).toEqual([]);
  });

  test.each([
    ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
    ...["224.0.0.1", "255.255.255.255", "192.0.2.1", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "fe80::1"],
    ...["::2", "::7f00:1", "::a9fe:a9fe", "1::1", "4000::1", "5f00::1", "fec0::1"],
    ...["fc00::1", "fd12::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "not an address", ""],
    ...["168.63.129.16", "192.0.0.192", "2606:4700::5efe:a00:5", "2606:4700::200:5efe:7f00:1"],
  ])("are never %s, unless it is allowed", async (address) => {
    await expect(leadsTo(address)).rejects.toBeInstanceOf(AddressRefusedError);
  });
});

describe("the process's own server", () => {
  test("is distinguished from others on its host that are resolved at the same moment", async () => {
    const both = new ServerGuard({
      isAllowed: publicOnly,
      ownServer: { hostname: "sandbox.test", port: 8080 },
      lookup: () => Promise.resolve(["127.0.0.1"]),
    });
    const asked = [8080, 8081].map((port) => both.addressesOf({ hostname: "sandbox.test", port }));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });
});

describe("a name", () => {
  test("is refused when one address of several is not allowed, and the error says which and why", async () => {
    const refused: string[] = [];
    const guard = new ServerGuard({
      isAllowed: publicOnly,
      lookup: () => Promise.resolve(["8.8.4.4", "10.0.0.1"]),
      onRefused: (...what) => `${refused.push(what.join(" "))} so far`,
    });
    const outcome = guard.addressesOf(api);
    await expect(outcome).rejects.toBeInstanceOf(AddressRefusedError);
    await expect(outcome).rejects.toMatchObject({ kind: "unreachable", isRequestSent: false });
    await expect(outcome).rejects.toThrow("api.example.org resolves to 10.0.0.1, which is not allowed: 1 so far");
    expect(refused).toEqual(["api.example.org 10.0.0.1"]);
  });

  test("without an address, or that can't be resolved, is refused", async () => {
    await expect(leadsTo()).rejects.toMatchObject({ kind: "unreachable" });
    const failing = guardOver(() => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" })));
    await expect(failing.addressesOf(api)).rejects.toThrow("could not be resolved: ENOTFOUND");
  });

  test("resolves to IPv4 first", async () => {
    expect(await leadsTo("2606:4700::1111", "8.8.4.4")).toEqual(["8.8.4.4", "2606:4700::1111"]);
  });

  test("is resolved once for connections that begin together, and again for each later one", async () => {
    let questions = 0;
    const guard = guardOver(() => {
      questions += 1;
      return Promise.resolve(["8.8.4.4"]);
    });
    await Promise.all(Array.from({ length: 20 }, () => guard.addressesOf(api)));
    expect(questions).toBe(1);
    await guard.addressesOf(api);
    expect(questions).toBe(2);
  });

  test("that is an address already is checked without a lookup", async () => {
    const guard = guardOver(() => Promise.reject(new Error("asked")));
    expect(await guard.addressesOf({ ...api, hostname: "8.8.4.4" })).toEqual(["8.8.4.4"]);
    await expect(guard.addressesOf({ ...api, hostname: "::ffff:127.0.0.1" })).rejects.toThrow(
      "127.0.0.1, which is not allowed",
    );
  });

  test("is resolved once as long as its judgement is kept, and again after a failure or once it is forgotten", async () => {
    const answers: (readonly string[] | null)[] = [["8.8.4.4"], null, ["8.8.8.8"], ["10.0.0.1"]];
    const lookup = () => {
      const answer = answers.shift() ?? null;
      return answer === null ? Promise.reject(new Error("NXDOMAIN")) : Promise.resolve(answer);
    };
    const guard = new ServerGuard({ isAllowed: publicOnly, lookup, keptMs: 60_000 });
    expect(await guard.addressesOf(api)).toEqual(["8.8.4.4"]);
    expect(await guard.addressesOf(api)).toEqual(["8.8.4.4"]);
    guard.forget();
    await expect(guard.addressesOf(api)).rejects.toMatchObject({ kind: "unreachable" });
    expect(await guard.addressesOf(api)).toEqual(["8.8.8.8"]);
    guard.forget();
    await expect(guard.addressesOf(api)).rejects.toBeInstanceOf(AddressRefusedError);
  });

  test("is judged again once its judgement is old", async () => {
    const answers = [["8.8.4.4"], ["127.0.0.1"]];
    const lookup = () => Promise.resolve(answers.shift() ?? []);
    const guard = new ServerGuard({ isAllowed: publicOnly, lookup, keptMs: 1 });
    expect(await guard.addressesOf(api)).toEqual(["8.8.4.4"]);
    await Bun.sleep(5);
    await expect(guard.addressesOf(api)).rejects.toBeInstanceOf(AddressRefusedError);
  });

  test("resolves to addresses of the family that connections are sent from", async () => {
    const both = ["8.8.4.4", "2606:4700::1111"];
    const reached = (family: number, found = both) =>
      new ServerGuard({ isAllowed: publicOnly, lookup: () => Promise.resolve(found), family }).addressesOf(api);
    expect(await reached(4)).toEqual(["8.8.4.4"]);
    expect(await reached(6)).toEqual(["2606:4700::1111"]);
    await expect(reached(6, ["8.8.4.4"])).rejects.toMatchObject({ kind: "unreachable" });
  });
});
