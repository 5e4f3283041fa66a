import { describe, expect, test } from "bun:test";
import type { ChannelId, GatewayUserId } from "@sluice/contracts/ids";
import { type Catalog, emptyCatalog } from "@sluice/control-plane/gateway/catalog.ts";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import { allowExitNodes, findExitNodes } from "@sluice/control-plane/gateway/dispatch/allow-exit-nodes.ts";
import type { AdmittedCall } from "@sluice/control-plane/gateway/model.ts";
import { abilityOf, channelOf, noMarks } from "../../support/calls/channel-fixtures.ts";

const node = channelOf(1, { exitNode: "node-a", pinnedAddress: "203.0.113.5" });
const provider = channelOf(2);
const abilities = [node, provider].map((channel) => abilityOf(channel));
const catalog: Catalog = {
  ...emptyCatalog,
  permits: new Map([[7n as GatewayUserId, new Map([["m", new Map([[1n as ChannelId, "main"]])]])]]),
};

function callOf(groupName: string, gatewayUserId: bigint, model: string): AdmittedCall {
  return { principal: { groupName, gatewayUserId }, model: { name: model } } as unknown as AdmittedCall;
}

describe("a call may take an exit node", () => {
  test.each([
    ["of its route", 7n, "m", ["channel 1", "channel 2"]],
    ["of no other model", 7n, "other", ["channel 2"]],
    ["of no other user", 8n, "m", ["channel 2"]],
  ])("%s", (_name, userId, model, expected) => {
    const nodes = findExitNodes(catalog, callOf("node-test", userId, model));
    expect(allowExitNodes(abilities, nodes).map(({ channel }) => channel.name)).toEqual(expected);
  });

  test("of its route and not another one", () => {
    const foreign = abilityOf(channelOf(3, { exitNode: "node-b" }));
    const nodes = findExitNodes(catalog, callOf("node-test", 7n, "m"));
    expect(allowExitNodes([...abilities, foreign], nodes)).toEqual(abilities);
  });

  test("only inside the group: outside of it nothing is looked up", () => {
    const nodes = findExitNodes(catalog, callOf("default", 7n, "m"));
    expect(nodes).toBeNull();
    expect(allowExitNodes(abilities, nodes)).toBe(abilities);
  });

  test("with the account that is named", () => {
    expect(findExitNodes(catalog, callOf("node-test", 7n, "m"))?.get(node.id)).toBe("main");
  });
});

describe("what a replica observed about a node", () => {
  let tick = 0;
  const open = () => new ChannelLoads({ now: () => tick, tick: () => tick }, noMarks);

  test("is reported once, with the last failure, and nothing about providers", () => {
    const loads = open();
    loads.end(loads.begin(node, 7n as GatewayUserId), "none", "answered");
    loads.end(loads.begin(node, 7n as GatewayUserId), "certain", "unreachable");
    loads.end(loads.begin(provider, 7n as GatewayUserId), "certain", "unreachable");
    expect(loads.takeExitTraffic()).toEqual([
      { nodeCode: "node-a", calls: 2, failures: 1, lastFailure: "unreachable", isOpen: false },
    ]);
    expect(loads.takeExitTraffic()).toEqual([]);
  });

  test("includes an open circuit for as long as it is open, and its closing once", () => {
    const loads = open();
    for (let call = 0; call < 20; call += 1) {
      loads.end(loads.begin(node, 7n as GatewayUserId), "certain", "unreachable");
    }
    expect(loads.takeExitTraffic()).toMatchObject([{ calls: 20, isOpen: true }]);
    expect(loads.takeExitTraffic()).toMatchObject([{ calls: 0, isOpen: true }]);
    tick += 60_000;
    loads.end(loads.begin(node, 7n as GatewayUserId), "none", "answered");
    expect(loads.takeExitTraffic()).toMatchObject([{ calls: 1, isOpen: false }]);
    expect(loads.takeExitTraffic()).toEqual([]);
  });
});
