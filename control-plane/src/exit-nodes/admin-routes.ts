import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  exitAccountResponse,
  exitAccountsResponse,
  exitDnsResponse,
  exitHealthResponse,
  exitListInput,
  exitNodeDetailResponse,
  exitNodeReference,
  exitNodeResponse,
  type exitNodeSorts,
  exitNodesInput,
  exitNodesResponse,
  exitRouteResponse,
  exitRoutesResponse,
  saveExitAccountInput,
  saveExitNodeInput,
  saveExitRouteInput,
  switchExitNodeInput,
} from "@sluice/contracts/exit-nodes";
import { byCaller } from "../admin/audit/service.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import type { ListPlace } from "../platform/list-query/endpoints.ts";
import { accountEntry, dnsEntry, healthEntry, nodeEntry, routeEntry } from "./answers.ts";
import type { CheckedNode } from "./check-node.ts";
import type { ExitNode } from "./model.ts";
import { exitNodeFiles } from "./node-file-store.ts";
import type { ExitNodes } from "./service.ts";

const base = "/backend/admin/exit-node";
const access = "admin" as const;

/** Where admins download the file of nodes. */
export const exitNodeFilePlace: ListPlace = {
  path: `${base}/`,
  access,
  about: "exit nodes with their latest health checks",
  source: exitNodeFiles,
};

type NodeEntry = ReturnType<typeof nodeEntry>;

/** There are never more than fit in one response, so no second page is ever requested. */
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
      output: exitNodeResponse,
      errors: ["invalid_relay_url", "secret_required", "version_conflict", "conflict", "dns_mismatch", "health_failed"],
      limits: ["At most 1,000 exit nodes."],
      summary: "Create an exit node with its account slots, or change it; its relay key is never shown again",
      handle: async (call) => ({ node: await describe(await nodes.saveNode(call.input, byCaller(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/list/`,
      access,
      input: exitNodesInput,
      output: exitNodesResponse,
      errors: [],
      summary: "List all exit nodes, with their latest checks and calls",
      handle: async ({ input }) => {
        const surroundings = await nodes.readSurroundings();
        const entries = (await nodes.listNodes())
          .filter(({ archivedAt }) => (archivedAt !== null) === input.is_archived)
          .map((node) => nodeEntry(node, surroundings));
        return { nodes: sortNodes(entries, input.sort) };
      },
    }),
    endpoint({
      method: "GET",
      path: `${base}/detail/`,
      access,
      input: exitNodeReference,
      output: exitNodeDetailResponse,
      errors: ["not_found"],
      summary: "Get one exit node with its accounts and the routes that can use it",
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
      output: exitDnsResponse,
      errors: ["not_found"],
      summary: "Check that the node's host resolves to its address and nothing else",
      handle: async ({ input }) => {
        const { node, dns } = await nodes.checkDns(input.node_code);
        return { dns: { ...dnsEntry(dns), host: node.host, expected: node.ip } };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/health/"),
      input: exitNodeReference,
      output: exitHealthResponse,
      errors: ["not_found", "version_conflict"],
      summary: "Check a node's health: by its host if DNS is correct, otherwise at its current address",
      handle: async (call) =>
        await describe(await nodes.check({ nodeCode: call.input.node_code, mode: "ask" }, byCaller(call))),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/exit-node/switch/"),
      input: switchExitNodeInput,
      output: exitHealthResponse,
      errors: ["not_found", "version_conflict", "dns_mismatch", "health_failed"],
      summary: "Switch a node to its host now, if DNS is correct and the node is healthy there",
      handle: async (call) => {
        const { node_code: nodeCode, version } = call.input;
        return await describe(await nodes.check({ nodeCode, version, mode: "switch" }, byCaller(call)));
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
      output: exitAccountResponse,
      errors: ["version_conflict"],
      limits: ["At most 100 accounts per node."],
      summary: "Create a node account, or change it; its credential is stored only on the node",
      handle: async (call) => ({ account: accountEntry(await nodes.saveAccount(call.input, byCaller(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/account/list/`,
      access,
      input: exitListInput,
      output: exitAccountsResponse,
      errors: [],
      summary: "List the accounts of all nodes, or of one",
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
      output: exitRouteResponse,
      errors: ["version_conflict"],
      limits: ["At most 5,000 routes."],
      summary: "Create or change a route: which exit nodes a user's calls use for a provider and models",
      handle: async (call) => ({ route: routeEntry(await nodes.saveRoute(call.input, byCaller(call))) }),
    }),
    endpoint({
      method: "GET",
      path: `${base}/route/list/`,
      access,
      input: exitListInput,
      output: exitRoutesResponse,
      errors: [],
      summary: "List all routes, or those that can use one node",
      handle: async ({ input }) => ({ routes: (await nodes.listRoutes(input.node_code ?? null)).map(routeEntry) }),
    }),
  ];
}
