import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  exitAccountAnswer,
  exitAccountsAnswer,
  exitDnsAnswer,
  exitHealthAnswer,
  exitListInput,
  exitNodeAnswer,
  exitNodeDetailAnswer,
  exitNodeReference,
  type exitNodeSorts,
  exitNodesAnswer,
  exitNodesInput,
  exitRouteAnswer,
  exitRoutesAnswer,
  saveExitAccountInput,
  saveExitNodeInput,
  saveExitRouteInput,
  switchExitNodeInput,
} from "@sluice/contracts/exit-nodes";
import { type AdminCaller, type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import type { ListPlace } from "../platform/list-query/endpoints.ts";
import { accountEntry, dnsEntry, healthEntry, nodeEntry, routeEntry } from "./answers.ts";
import type { CheckedNode } from "./check-node.ts";
import type { ExitNode } from "./model.ts";
import { exitNodeFiles } from "./node-file-store.ts";
import type { Changer } from "./node-parts.ts";
import type { ExitNodes } from "./service.ts";

const base = "/backend/admin/exit-node";
const access = "admin" as const;

type Asked = { readonly admin: AdminCaller; readonly requestId: string; readonly clientIp: string };

function changerOf({ admin, requestId, clientIp }: Asked): Changer {
  return { actor: { kind: "admin", id: admin.adminId, name: admin.username }, requestId, ip: clientIp };
}

/** Where admins take the file of the nodes. */
export const exitNodeFilePlace: ListPlace = {
  path: `${base}/`,
  access,
  about: "exit nodes with what checks saw of them last",
  source: exitNodeFiles,
};

type NodeEntry = ReturnType<typeof nodeEntry>;

/** There are at most as many as one answer holds, so that no page of them is ever asked for. */
function sortNodes(entries: readonly NodeEntry[], sort: string): NodeEntry[] {
  const isDescending = sort.startsWith("-");
  const field = sort.slice(isDescending ? 1 : 0) as (typeof exitNodeSorts)[number];
  const sorted = entries.toSorted((one, other) => {
    const [a, b] = [one[field], other[field]];
    return a < b ? -1 : a > b ? 1 : one.node_code < other.node_code ? -1 : 1;
  });
  return isDescending ? sorted.toReversed() : sorted;
}

/** What admins do with exit nodes, their accounts and their routes. */
export function exitNodeEndpoints(nodes: ExitNodes): AnyEndpoint[] {
  return [...nodeEndpoints(nodes), ...checkEndpoints(nodes), ...accountEndpoints(nodes), ...routeEndpoints(nodes)];
}

function nodeEndpoints(nodes: ExitNodes): AnyEndpoint[] {
  const describe = async (node: ExitNode) => nodeEntry(node, await nodes.readSurroundings());
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/save/"),
      input: saveExitNodeInput,
      output: exitNodeAnswer,
      errors: ["invalid_relay_url", "secret_required", "version_conflict", "dns_mismatch", "health_failed"],
      limits: ["1,000 exit nodes."],
      summary: "Make an exit node with its slots for accounts, or change it. Its relay key is taken and never shown.",
      handle: async (call) => ({ node: await describe(await nodes.saveNode(call.input, changerOf(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/list/`,
      access,
      input: exitNodesInput,
      output: exitNodesAnswer,
      errors: [],
      summary: "All exit nodes, with what checks and calls saw of them last.",
      handle: async ({ input }) => {
        const surroundings = await nodes.readSurroundings();
        const entries = (await nodes.listNodes()).map((node) => nodeEntry(node, surroundings));
        return { nodes: sortNodes(entries, input.sort) };
      },
    }),
    endpoint({
      method: "GET",
      path: `${base}/detail/`,
      access,
      input: exitNodeReference,
      output: exitNodeDetailAnswer,
      errors: ["not_found"],
      summary: "One exit node with its accounts, and the routes that may lead through it.",
      handle: async ({ input: { node_code: nodeCode } }) => ({
        node: await describe(await nodes.readNode(nodeCode)),
        accounts: (await nodes.listAccounts(nodeCode)).map(accountEntry),
        routes: (await nodes.listRoutes(nodeCode)).map(routeEntry),
      }),
    }),
  ];
}

function checkEndpoints(nodes: ExitNodes): AnyEndpoint[] {
  const describe = async ({ node, dns, health }: CheckedNode) => ({
    health: healthEntry(health),
    dns: dnsEntry(dns),
    node: nodeEntry(node, await nodes.readSurroundings()),
  });
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/dns-check/"),
      input: exitNodeReference,
      output: exitDnsAnswer,
      errors: ["not_found"],
      summary: "Ask DNS whether the host of a node leads to its address, and to nothing else.",
      handle: async ({ input }) => {
        const { node, dns } = await nodes.checkDns(input.node_code);
        return { dns: { ...dnsEntry(dns), host: node.host, expected: node.ip } };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/health/"),
      input: exitNodeReference,
      output: exitHealthAnswer,
      errors: ["not_found", "version_conflict"],
      summary: "Ask a node how it is: under its host while DNS is right, else under the address that is used now.",
      handle: async (call) =>
        await describe(await nodes.check({ nodeCode: call.input.node_code, mode: "ask" }, changerOf(call))),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/switch/"),
      input: switchExitNodeInput,
      output: exitHealthAnswer,
      errors: ["not_found", "version_conflict", "dns_mismatch", "health_failed"],
      summary: "Point a node at its host now, if DNS is right and the node is well there.",
      handle: async (call) => {
        const { node_code: nodeCode, version } = call.input;
        return await describe(await nodes.check({ nodeCode, version, mode: "switch" }, changerOf(call)));
      },
    }),
  ];
}

function accountEndpoints(nodes: ExitNodes): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/account/save/"),
      input: saveExitAccountInput,
      output: exitAccountAnswer,
      errors: ["version_conflict"],
      limits: ["100 accounts of a node."],
      summary: "Make an account of a node, or change it. Its credential is nowhere but on the node.",
      handle: async (call) => ({ account: accountEntry(await nodes.saveAccount(call.input, changerOf(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/account/list/`,
      access,
      input: exitListInput,
      output: exitAccountsAnswer,
      errors: [],
      summary: "The accounts of all nodes, or of one.",
      handle: async ({ input }) => ({
        accounts: (await nodes.listAccounts(input.node_code ?? null)).map(accountEntry),
      }),
    }),
  ];
}

function routeEndpoints(nodes: ExitNodes): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/route/save/"),
      input: saveExitRouteInput,
      output: exitRouteAnswer,
      errors: ["version_conflict"],
      limits: ["5,000 routes."],
      summary: "Let a user's calls of some models out through nodes with an account of a provider, or change that.",
      handle: async (call) => ({ route: routeEntry(await nodes.saveRoute(call.input, changerOf(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/route/list/`,
      access,
      input: exitListInput,
      output: exitRoutesAnswer,
      errors: [],
      summary: "All routes, or those that may lead through one node.",
      handle: async ({ input }) => ({ routes: (await nodes.listRoutes(input.node_code ?? null)).map(routeEntry) }),
    }),
  ];
}
