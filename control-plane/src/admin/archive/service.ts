import { type ArchivedKind, type ArchiveInput, type ArchiveSubject, archiveEffects } from "@sluice/contracts/archive";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { audit } from "../audit/service.ts";
import {
  type Archivable,
  archiveChannel,
  archiveModel,
  archivePlan,
  type Counts,
  countOfChannel,
  countOfModel,
  countOfPlan,
  lockChannelRow,
  lockModelRow,
  lockPlanRow,
  restoreChannel,
  restoreModel,
  restorePlan,
} from "./archive-store.ts";
import { archiveGroup, countOfGroup, lockGroupRow, restoreGroup } from "./group-store.ts";
import { archiveNode, countOfNode, lockNodeRow, restoreNode } from "./node-store.ts";

/** What archiving is for one kind of things. The id is as requests have it. */
type Kind = {
  readonly lock: (tx: Queryable, id: string) => Promise<Archivable | null>;
  readonly count: (tx: Queryable, id: string) => Promise<Counts>;
  /** @returns its name from then on */
  readonly archive: (tx: Queryable, id: string, name: string) => Promise<string>;
  readonly restore: (tx: Queryable, id: string) => Promise<void>;
};

const channelId = (text: string): bigint => {
  if (!/^[1-9]\d{0,17}$/.test(text)) {
    throw notFound("channel");
  }
  return BigInt(text);
};

const kinds: Readonly<Record<ArchivedKind, Kind>> = {
  channel: {
    lock: (tx, id) => lockChannelRow(tx, channelId(id)),
    count: (tx, id) => countOfChannel(tx, channelId(id)),
    archive: async (tx, id, name) => {
      const archived = `${name.slice(0, 70)} (archived ${id})`;
      await archiveChannel(tx, channelId(id), archived);
      return archived;
    },
    restore: (tx, id) => restoreChannel(tx, channelId(id)),
  },
  model: {
    lock: lockModelRow,
    count: countOfModel,
    archive: async (tx, name) => {
      await archiveModel(tx, name);
      return name;
    },
    restore: restoreModel,
  },
  plan: {
    lock: lockPlanRow,
    count: countOfPlan,
    archive: async (tx, code, name) => {
      await archivePlan(tx, code);
      return name;
    },
    restore: restorePlan,
  },
  group: {
    lock: lockGroupRow,
    count: countOfGroup,
    archive: async (tx, name) => {
      await archiveGroup(tx, name);
      return name;
    },
    restore: restoreGroup,
  },
  node: {
    lock: lockNodeRow,
    count: countOfNode,
    archive: async (tx, code, name) => {
      await archiveNode(tx, code);
      return name;
    },
    restore: restoreNode,
  },
};

type Effect = {
  readonly subject: ArchiveSubject;
  readonly effect: (typeof archiveEffects)[ArchiveSubject];
  readonly count: bigint;
};

export type Preview = {
  readonly name: string;
  readonly is_archived: boolean;
  readonly effects: readonly Effect[];
  readonly is_possible: boolean;
};

type AuditOrigin = Parameters<typeof audit>[1];
type Target = { readonly kind: ArchivedKind; readonly id: string };

/** What would happen. @throws AppError `not_found` */
export async function previewArchiving(db: Database, target: Target): Promise<Preview> {
  return await db.withTransaction(async (tx) => await previewOf(tx, target, await locked(tx, target)));
}

/**
 * Takes a thing out of use for good: it is hidden, serves no calls and is not sold any more; what was done with it stays
 * in the books. Calls that run continue. Repeating that changes nothing.
 * @throws AppError `not_found`; `conflict` while something needs it
 */
export async function archive(
  db: Database,
  { reason, ...target }: ArchiveInput,
  origin: AuditOrigin,
): Promise<{ readonly name: string; readonly is_archived: boolean }> {
  return await db.withTransaction(async (tx) => {
    const found = await locked(tx, target);
    if (found.archivedAt !== null) {
      return { name: found.name, is_archived: true };
    }
    const { effects, is_possible: isPossible } = await previewOf(tx, target, found);
    if (!isPossible) {
      const first = effects.find(({ effect }) => effect === "blocks");
      throw new AppError("conflict", {
        message: blockedBy[first?.subject as keyof typeof blockedBy] ?? "It is in use.",
      });
    }
    const name = await kinds[target.kind].archive(tx, target.id, found.name);
    await audit(tx, origin, `${target.kind}.archive`, {
      ...{ subjectKind: target.kind, subjectId: target.id, reason },
      before: { name: found.name },
      after: { name, ...Object.fromEntries(effects.map(({ subject, count }) => [subject, Number(count)])) },
    });
    return { name, is_archived: true };
  });
}

/** Brings an archived thing back, still switched off. Repeating that changes nothing. @throws AppError `not_found` */
export async function restore(
  db: Database,
  { reason, ...target }: ArchiveInput,
  origin: AuditOrigin,
): Promise<{ readonly name: string; readonly is_archived: boolean }> {
  return await db.withTransaction(async (tx) => {
    const { name, archivedAt } = await locked(tx, target);
    if (archivedAt !== null) {
      await kinds[target.kind].restore(tx, target.id);
      const what = { subjectKind: target.kind, subjectId: target.id, reason };
      await audit(tx, origin, `${target.kind}.restore`, {
        ...what,
        before: { archivedAt },
        after: { archivedAt: null },
      });
    }
    return { name, is_archived: false };
  });
}

/** What has to be changed first. */
const blockedBy = {
  exit_node: "This channel belongs to an exit node. Switch its route off there.",
  replacements: "Other models name it as their replacement. Change these first.",
  fallback_targets: "Other models fall back to it. Change their fallbacks first.",
  mapped_names: "The model map uses it. Change the model map first.",
  routes: "Routes use this exit node. Switch these off first.",
  start_group: "New accounts start in this group. Let them start in another one first.",
  exit_node_group: "Exit nodes need this group.",
  own_groups: "Some accounts have it as their own group. Move these to another group first.",
  members: "Users have this group. Remove them from it first.",
  group_keys: "API keys use this group. Change or revoke these first.",
  group_plans: "Plans give this group. Change or archive these first.",
  group_months: "Months that were sold give this group until they end.",
  group_renewals: "Customers pay for this group every month. Cancel these subscriptions first.",
  group_codes: "Codes that can still be redeemed give this group. Revoke these first.",
  group_invitations: "Invitations that can still be used give this group. Revoke these first.",
  renewals: "Customers pay for it every month. Cancel these subscriptions first, or hide the plan instead.",
} as const satisfies Partial<Record<ArchiveSubject, string>>;

async function locked(tx: Transaction, { kind, id }: Target): Promise<Archivable> {
  const found = await kinds[kind].lock(tx, id);
  if (found === null) {
    throw notFound(kind);
  }
  return found;
}

async function previewOf(tx: Transaction, { kind, id }: Target, found: Archivable): Promise<Preview> {
  const counts = await kinds[kind].count(tx, id);
  const effects = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => {
      const subject = name as ArchiveSubject;
      return { subject, effect: archiveEffects[subject], count: BigInt(count) };
    });
  return {
    name: found.name,
    is_archived: found.archivedAt !== null,
    effects,
    is_possible: effects.every(({ effect }) => effect !== "blocks"),
  };
}
