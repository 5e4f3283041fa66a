import { audit, byCommand } from "../admin/audit/service.ts";
import { sealChannelCredential, sealFurtherCredential } from "../gateway/channels/credentials.ts";
import { auditMoney } from "../ledger/service.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database, Transaction } from "../platform/db.ts";
import type { Finding, PeerData } from "./model.ts";
import { moveChannels } from "./move-channels.ts";
import { moveCodes } from "./move-codes.ts";
import { moveDeleted } from "./move-deleted.ts";
import { moveGroups } from "./move-groups.ts";
import { moveKeys } from "./move-keys.ts";
import { moveModels } from "./move-models.ts";
import { moveOrganisations } from "./move-organisations.ts";
import { moveRest } from "./move-rest.ts";
import { moveUsage } from "./move-usage.ts";
import { moveUsers } from "./move-users.ts";
import { type PriceRow, priceTable } from "./price-table.ts";
import { type Counts, type ImportOptions, Step } from "./run.ts";
import { listItems, lockSource, markCutOver, sumUsage, type UsageSum } from "./store.ts";

export type ImportReport = {
  readonly instance: string;
  readonly isApplied: boolean;
  readonly counts: ReadonlyMap<string, Counts>;
  readonly findings: readonly Finding[];
  readonly leftOut: ReadonlyMap<string, number>;
  /** What each group pays for each model, there and here. */
  readonly prices: readonly PriceRow[];
  /** The sum of what the moved users have there, and of what was moved here, in quota. */
  readonly movedQuota: bigint;
  /** The history of calls in both places; null if it was not read. */
  readonly usage: { readonly there: UsageSum; readonly here: UsageSum } | null;
};

export type ImportDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  /** Called before each step. */
  readonly onStep: (name: string) => void;
};

/** Ends the transaction of a rehearsal. */
class Undone extends Error {}

const statementTimeoutMs = 600_000;

/**
 * Moves another gateway's customers, prices and channels here. A rehearsal does all of it in one transaction and takes
 * it back. Otherwise each kind of rows is a transaction of its own: a run that was interrupted is simply run again.
 * @throws Error if customers of this gateway already call Sluice: their balances are here
 */
export async function runImport(deps: ImportDeps, data: PeerData, options: ImportOptions): Promise<ImportReport> {
  const steps = stepsOf(deps.masterKey);
  const done: [string, Step][] = [];
  const work = async (tx: Transaction, name: string): Promise<Step> => {
    deps.onStep(name);
    const { cutOverAt, program } = await lockSource(tx, options.instance, data.program);
    if (cutOverAt !== null) {
      throw new Error(`${options.instance} was cut over at ${cutOverAt.toISOString()}: its balances are here since`);
    }
    if (program !== data.program) {
      throw new Error(`${options.instance} is an instance of ${program}: choose another --instance`);
    }
    const step = new Step(tx, data, options);
    await steps[name]?.(step);
    return step;
  };
  if (options.isApplied) {
    for (const name of Object.keys(steps)) {
      done.push([name, await deps.db.withTransaction((tx) => work(tx, name), { statementTimeoutMs })]);
    }
    return await deps.db.withTransaction((tx) => reportOf(tx, data, options, done));
  }
  return await rehearse(deps.db, async (tx) => {
    for (const name of Object.keys(steps)) {
      done.push([name, await work(tx, name)]);
    }
    const codes = new Step(tx, data, options);
    await moveCodes(codes);
    done.push(["codes", codes]);
    return await reportOf(tx, data, options, done);
  });
}

/**
 * Moves the codes that nobody has used, and ends the import: from now on customers call Sluice, and later runs would undo
 * what they have spent here. @returns what was done with the codes
 */
export async function cutOver(db: Database, data: PeerData, options: ImportOptions): Promise<Counts> {
  return await db.withTransaction(async (tx) => {
    const { program } = data;
    const { instance } = options;
    const { cutOverAt } = await lockSource(tx, instance, program);
    if (cutOverAt !== null) {
      throw new Error(`${instance} was cut over at ${cutOverAt.toISOString()}`);
    }
    const step = new Step(tx, data, options);
    await moveCodes(step);
    await markCutOver(tx, instance);
    const subject = { subjectKind: "import_source", subjectId: instance };
    await audit(tx, byCommand("import"), "import.cut_over", {
      ...subject,
      after: { program, codes: step.counts.made },
    });
    return step.counts;
  });
}

/**
 * Moves what balances have changed there since the cut-over, when the calls that had begun there have ended. Until the edge
 * led here, people could keep making and deleting keys and accounts there: these are moved and ended, too.
 * @throws Error before the cut-over
 */
export async function settleRest(
  { db, masterKey }: Pick<ImportDeps, "db" | "masterKey">,
  data: PeerData,
  options: ImportOptions,
): Promise<ImportReport> {
  const steps = await db.withTransaction(
    async (tx) => {
      const { program } = data;
      const { instance } = options;
      const source = await lockSource(tx, instance, program);
      if (source.cutOverAt === null || source.program !== program) {
        throw new Error(`${instance} is not cut over yet: --drained is for what is left there afterwards`);
      }
      const rest = new Step(tx, data, options);
      const usage = new Step(tx, data, options);
      const deleted = new Step(tx, data, options);
      await moveDeleted(deleted, masterKey);
      const users = new Step(tx, { ...data, users: await without(rest, "user", data.users) }, options);
      await moveUsers(users, masterKey);
      // The owner of a late key may have been moved before.
      const keys = new Step(tx, { ...data, keys: await without(rest, "key", data.keys) }, options);
      await moveKeys(keys);
      // Who closes an account locks it before its balance, so this does, too.
      await moveUsage(usage);
      await moveRest(rest);
      const subject = { subjectKind: "import_source", subjectId: instance };
      await audit(tx, byCommand("import"), "import.drained", { ...subject, after: { changed: rest.counts.changed } });
      return [
        ["deleted", deleted],
        ["users", users],
        ["keys", keys],
        ["rest", rest],
        ["usage", usage],
      ] as const;
    },
    { statementTimeoutMs },
  );
  return await db.withTransaction((tx) => reportOf(tx, data, options, steps));
}

/** The rows that are not moved yet. */
async function without<Row extends { readonly id: string }>(
  step: Step,
  kind: "user" | "key",
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const items = await step.items(kind);
  return rows.filter(({ id }) => !items.has(id));
}

/** The violated invariants of the money, each as a sentence. */
export async function violatedInvariants(db: Database): Promise<readonly string[]> {
  const parts = await auditMoney(db);
  return parts.flatMap(({ invariants }) =>
    invariants.filter(({ violations }) => violations.length > 0).map(({ invariant }) => invariant),
  );
}

type Steps = Readonly<Record<string, (step: Step) => Promise<void>>>;

/** In this order: each refers to what the ones before it have made. */
function stepsOf(masterKey: MasterKey): Steps {
  return {
    deleted: (step) => moveDeleted(step, masterKey),
    groups: moveGroups,
    users: (step) => moveUsers(step, masterKey),
    organisations: moveOrganisations,
    keys: moveKeys,
    models: moveModels,
    channels: (step) =>
      moveChannels(step, {
        sealCredential: (id, credential) => sealChannelCredential(masterKey, id, credential),
        sealFurtherCredential: (id, credential) => sealFurtherCredential(masterKey, id, credential),
      }),
    usage: moveUsage,
  };
}

async function rehearse<Result>(db: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | null = null;
  try {
    await db.withTransaction(
      async (tx) => {
        result = { value: await work(tx) };
        throw new Undone();
      },
      { statementTimeoutMs },
    );
  } catch (error) {
    if (!(error instanceof Undone)) {
      throw error;
    }
  }
  if (result === null) {
    throw new Error("the rehearsal had no result");
  }
  return (result as { readonly value: Result }).value;
}

async function reportOf(
  tx: Transaction,
  data: PeerData,
  options: ImportOptions,
  done: readonly (readonly [string, Step])[],
): Promise<ImportReport> {
  const users = await listItems(tx, options.instance, "user");
  const organisations = await listItems(tx, options.instance, "organisation");
  const report = {
    instance: options.instance,
    isApplied: options.isApplied,
    counts: new Map(done.map(([name, { counts }]) => [name, counts])),
    findings: [...data.findings, ...done.flatMap(([, { findings }]) => findings)],
    leftOut: data.leftOut,
    prices: await priceTable(new Step(tx, data, options)),
    movedQuota: [...users.values(), ...organisations.values()].reduce(
      (sum, { movedQuota }) => sum + (movedQuota ?? 0n),
      0n,
    ),
    usage: data.usage === null ? null : { there: addUp(data.usage), here: await sumUsage(tx, options.instance) },
  };
  return report;
}

function addUp(usage: readonly UsageSum[]): UsageSum {
  const sum = { calls: 0n, inputTokens: 0n, outputTokens: 0n, quota: 0n };
  for (const each of usage) {
    sum.calls += each.calls;
    sum.inputTokens += each.inputTokens;
    sum.outputTokens += each.outputTokens;
    sum.quota += each.quota;
  }
  return sum;
}
