import type { ReplicaId } from "@sluice/contracts/ids";
import type { Registry } from "prom-client";
import { audit, byCommand, bySystem } from "../../admin/audit/service.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { allowIdling, tryAdvisoryLock } from "../../platform/db-locks.ts";
import type { Log } from "../../platform/log.ts";
import { gauge } from "../../platform/metric.ts";
import {
  forgetEmptyLeases,
  markGivenUp,
  type ReplicaState,
  selectReplicas,
  type WrittenOff,
  writeOffLeases,
} from "./replica-store.ts";

/** The lock outlives the work. */
const lockedMsMax = 300_000;
/** One run forgets at most this many rows; the next run continues. */
const rowsForgottenMax = 50_000;
/** When many replicas are lost at once, a log line shows this many. */
const replicasLoggedMax = 20;

/** The person who gives up on a replica, and the reason. */
export type GivingUp = { readonly replicaId: ReplicaId; readonly by: string; readonly reason: string };

/** Declares the host of a replica lost, with an entry in the audit log. Returns false for an unknown replica. */
export async function giveUpReplica(tx: Transaction, { replicaId, by, reason }: GivingUp): Promise<boolean> {
  const isKnown = await markGivenUp(tx, replicaId);
  if (isKnown) {
    await audit(tx, byCommand(by), "replica.give_up", { subjectKind: "replica", subjectId: replicaId, reason });
  }
  return isKnown;
}

/**
 * Gives back the leases of replicas that were given up and whose terms are over, each with its entry in the audit log.
 */
export async function writeOffGivenUp(tx: Transaction, by: string): Promise<WrittenOff[]> {
  const done = await writeOffLeases(tx);
  for (const { replicaId, budgets, quota } of done) {
    await audit(tx, bySystem(by), "replica.write_off", {
      subjectKind: "replica",
      subjectId: replicaId,
      after: { budgets, quota },
    });
  }
  return done;
}

/** Whether a replica's leases are stranded: its term is over, and nobody has given it up. */
function isStranded({ secondsToEnd, quota }: ReplicaState): boolean {
  return secondsToEnd === 0 && quota > 0n;
}

export type LeaseUpkeepDeps = { readonly db: Database; readonly log: Log; readonly registry: Registry };

/** Looks after leases that no live process looks after. */
export class LeaseUpkeep {
  readonly #deps: LeaseUpkeepDeps;
  #stranded = 0n;

  constructor(deps: LeaseUpkeepDeps) {
    this.#deps = deps;
    const help = "Quota in leases of lost replicas, as of the last check; 0 where another replica checks.";
    gauge(deps.registry, "sluice_stranded_quota", help, () => Number(this.#stranded));
  }

  /** The job of every minute. Every replica runs it and one does the work; the others clear their earlier result. */
  async runJob(): Promise<void> {
    // The lock has its own transaction, so that no budget is locked longer than its leases take.
    this.#stranded = await this.#deps.db.withTransaction(async (tx) => {
      if (!(await tryAdvisoryLock(tx, "lease-upkeep"))) {
        return 0n;
      }
      await allowIdling(tx, lockedMsMax);
      return await this.#work();
    });
  }

  /** Returns how much is stranded. */
  async #work(): Promise<bigint> {
    const { db, log } = this.#deps;
    for (const { replicaId, budgets, quota } of await db.withTransaction((tx) => writeOffGivenUp(tx, "lease-upkeep"))) {
      log.warn("quota.written_off", { replicaId, budgets, quota });
    }
    await forgetEmptyLeases(db, rowsForgottenMax);
    const stranded = (await selectReplicas(db)).filter(isStranded);
    if (stranded.length > 0) {
      log.warn("quota.stranded", { replicas: stranded.length, longest: stranded.slice(0, replicasLoggedMax) });
    }
    return stranded.reduce((sum, { quota }) => sum + quota, 0n);
  }
}
