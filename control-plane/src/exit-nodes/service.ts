import type { SaveExitAccountInput, SaveExitNodeInput, SaveExitRouteInput } from "@sluice/contracts/exit-nodes";
import { Gauge, type Registry } from "prom-client";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { bySystem } from "../admin/audit/service.ts";
import type { Queryable } from "../platform/db.ts";
import { AppError } from "../platform/errors.ts";
import { type ExitAccount, selectAccounts } from "./account-store.ts";
import { type CheckedNode, type CheckMode, checkNode, checkNodeDns, requireNode } from "./check-node.ts";
import type { DnsResult, ExitNode } from "./model.ts";
import type { ExitNodeDeps } from "./node-deps.ts";
import { selectDueNodes, selectNodes } from "./node-store.ts";
import type { NodeTraffic } from "./port.ts";
import { type ExitRoute, selectRoutes } from "./route-store.ts";
import { saveAccount } from "./save-account.ts";
import { saveNode } from "./save-node.ts";
import { saveRoute } from "./save-route.ts";
import { addTraffic, foldOldTraffic, sumTraffic, type TrafficSum } from "./traffic-store.ts";

/** One run of the job checks this many nodes at once; the next run continues with those that have waited longest. */
const checkedAtOnce = 16;
const job = bySystem("exit-node-checks");

export type ExitNodeTimes = {
  /** The time between checks of a stable node; a node that is about to switch or to come back is checked more often. */
  readonly checkMs: number;
};

/** Stores what a replica observed about its calls through nodes. */
export async function keepTraffic(db: Queryable, replicaId: string, seen: readonly NodeTraffic[]): Promise<void> {
  await addTraffic(db, replicaId, seen);
}

/** The exit nodes: how admins configure them, what checks find, and the effect on their channels. */
export class ExitNodes {
  readonly #deps: ExitNodeDeps;
  readonly #times: ExitNodeTimes;
  readonly #gauges: { readonly serving: Gauge; readonly matched: Gauge };

  constructor(deps: ExitNodeDeps, times: ExitNodeTimes, registry: Registry) {
    this.#deps = deps;
    this.#times = times;
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: ["node"], registers: [registry] });
    this.#gauges = {
      serving: gauge("sluice_exit_node_serving", "1 while calls are sent to the exit node, else 0."),
      matched: gauge(
        "sluice_exit_node_dns_matched",
        "1 while the exit node's host name resolves to its address, else 0.",
      ),
    };
  }

  saveNode(input: SaveExitNodeInput, changer: AuditOrigin): Promise<ExitNode> {
    return saveNode(this.#deps, { input, changer });
  }

  saveAccount(input: SaveExitAccountInput, changer: AuditOrigin): Promise<ExitAccount> {
    return saveAccount(this.#deps, { input, changer });
  }

  saveRoute(input: SaveExitRouteInput, changer: AuditOrigin): Promise<ExitRoute> {
    return saveRoute(this.#deps, { input, changer });
  }

  checkDns(nodeCode: string): Promise<{ node: ExitNode; dns: DnsResult }> {
    return checkNodeDns(this.#deps, nodeCode);
  }

  check(
    wanted: { readonly nodeCode: string; readonly version?: number | undefined; readonly mode: CheckMode },
    changer: AuditOrigin,
  ): Promise<CheckedNode> {
    return checkNode(this.#deps, wanted, changer);
  }

  listNodes(): Promise<ExitNode[]> {
    return selectNodes(this.#deps.db);
  }

  /** @throws AppError `not_found` */
  readNode(nodeCode: string): Promise<ExitNode> {
    return requireNode(this.#deps.db, nodeCode);
  }

  listAccounts(nodeCode: string | null): Promise<ExitAccount[]> {
    return selectAccounts(this.#deps.db, nodeCode);
  }

  listRoutes(nodeCode: string | null): Promise<ExitRoute[]> {
    return selectRoutes(this.#deps.db, nodeCode);
  }

  /** The facts that are shown together with nodes. */
  async readSurroundings(): Promise<{ secretNames: ReadonlySet<string>; traffic: ReadonlyMap<bigint, TrafficSum> }> {
    const [names, sums] = await Promise.all([this.#deps.keys.names(), sumTraffic(this.#deps.db)]);
    return { secretNames: new Set(names), traffic: new Map(sums.map((sum) => [sum.nodeId, sum])) };
  }

  /** The job: checks the nodes that are due, and gives channels the abilities for models that were added since. */
  async runChecks(): Promise<void> {
    const { db, log, switching, channels } = this.#deps;
    const movingMs = Math.min(this.#times.checkMs, Math.max(1_000, switching.spacingMs));
    const due = await selectDueNodes(db, { restingMs: this.#times.checkMs, movingMs, limit: checkedAtOnce });
    await Promise.all(
      due.map(async ({ nodeCode }) => {
        try {
          await checkNode(this.#deps, { nodeCode, mode: "ask" }, job);
        } catch (error) {
          // An admin may have changed it meanwhile; then the next run checks the new version.
          const isChanged = error instanceof AppError && error.code === "version_conflict";
          log[isChanged ? "debug" : "warn"]("exit_node.check_failed", { node: nodeCode, error });
        }
      }),
    );
    await db.withTransaction((tx) => channels.alignAbilities(tx));
  }

  /** Measures the nodes in each replica, for its own metrics. */
  async measure(): Promise<void> {
    const nodes = (await this.listNodes()).filter(({ status }) => status !== "disabled");
    this.#gauges.serving.reset();
    this.#gauges.matched.reset();
    for (const { nodeCode: node, isServing, dns } of nodes) {
      this.#gauges.serving.set({ node }, isServing ? 1 : 0);
      this.#gauges.matched.set({ node }, dns?.matched === true ? 1 : 0);
    }
  }

  foldTraffic(): Promise<void> {
    return foldOldTraffic(this.#deps.db);
  }
}
