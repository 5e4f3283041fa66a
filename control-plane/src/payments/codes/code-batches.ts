import { type CodeBatchEntry, createBatchInput } from "@sluice/contracts/codes";
import type { z } from "zod";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { findActivePlan } from "../plans/plan-store.ts";
import {
  type CodeBatch,
  findBatch,
  findBatchByKey,
  insertBatch,
  insertCodes,
  keepSeed,
  type NewBatch,
  revokeBatch,
} from "./code-store.ts";
import { digestOfCode, makeCode, readCode } from "./code-text.ts";
import { openSeed, sealSeed } from "./sealed-seed.ts";

const seedBytes = 32;

export type BatchInput = z.output<typeof createBatchInput>;

/** Creates a batch of codes. It counts as a credit of everything that its codes can grant. */
export function createBatchAct(masterKey: MasterKey): Act<BatchInput> {
  return {
    kind: "code_batch.create",
    schema: createBatchInput,
    reasonOf: ({ note }) => note,
    perform: async (tx, input, origin) => {
      const { batch, isNew } = await makeOnce(tx, masterKey, { input, origin });
      if (isNew) {
        const { sealedSeed: _, ...after } = batch;
        const what = { action: "code_batch.create", subjectKind: "code_batch", subjectId: batch.id };
        await recordAct(tx, origin, { ...what, before: null, after, reason: input.note });
      }
      return {
        isNew,
        amount: { kind: "adjust", quota: batch.quota * BigInt(batch.count) },
        takesTwo: false,
        effects: {
          codes: batch.count.toString(),
          each_quota: batch.quota.toString(),
          ...(batch.planCode === null ? {} : { plan_code: batch.planCode }),
          ...(batch.groupName === null ? {} : { group: batch.groupName }),
        },
        finish: async () => ({ batch: batchEntry(batch) }),
      };
    },
  };
}

type Asked = {
  readonly input: BatchInput;
  readonly origin: { readonly adminName: string; readonly idempotencyKey: string };
};

/** @throws AppError `idempotency_mismatch` when the key was used for another batch */
async function makeOnce(
  tx: Transaction,
  masterKey: MasterKey,
  { input, origin }: Asked,
): Promise<{ readonly batch: CodeBatch; readonly isNew: boolean }> {
  const { idempotencyKey } = origin;
  const known = await findBatchByKey(tx, idempotencyKey);
  const made = known === null ? await makeBatch(tx, masterKey, await batchOf(tx, { input, origin })) : null;
  if (made !== null) {
    return { batch: made, isNew: true };
  }
  // Another request may have created it in the meantime.
  const batch = known ?? (await findBatchByKey(tx, idempotencyKey));
  if (batch === null || !isSame(batch, input)) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another batch." });
  }
  return { batch, isNew: false };
}

function isSame(batch: CodeBatch, input: BatchInput): boolean {
  return (
    batch.name === input.name &&
    batch.note === input.note &&
    batch.count === input.count &&
    batch.isOncePerUser === input.is_once_per_user &&
    batch.expiresAt?.getTime() === endOf(input)?.getTime() &&
    (input.quota === undefined || batch.quota === input.quota) &&
    (batch.planCode === null || batch.planCode === input.plan_code)
  );
}

const endOf = ({ expires_at: end }: BatchInput): Date | null => (end === null ? null : new Date(end));

async function batchOf(tx: Queryable, { input, origin }: Asked): Promise<NewBatch> {
  const { name, note, count, quota, plan_code: planCode } = input;
  const { adminName: createdBy, idempotencyKey } = origin;
  const once = { isOncePerUser: input.is_once_per_user, idempotencyKey };
  const rest = { name, note, count, ...once, expiresAt: endOf(input), createdBy };
  if ((quota === undefined) === (planCode === undefined)) {
    throw new AppError("invalid_value", { fields: { quota: "Choose either a balance or a plan." } });
  }
  if (quota !== undefined) {
    return { ...rest, quota, planCode: null, planKind: "wallet_balance", groupName: null };
  }
  const plan = await findActivePlan(tx, planCode ?? "");
  if (plan === null || plan.amountMinUsd !== null) {
    throw new AppError("invalid_value", { fields: { plan_code: "Choose a plan with a fixed price that is offered." } });
  }
  const isMonthly = plan.kind === "monthly";
  return {
    ...rest,
    quota: plan.quota,
    planCode: isMonthly ? plan.planCode : null,
    planKind: plan.kind,
    groupName: plan.groupName,
  };
}

async function makeBatch(tx: Transaction, masterKey: MasterKey, made: NewBatch): Promise<CodeBatch | null> {
  const seed = crypto.getRandomValues(new Uint8Array(seedBytes));
  const batch = await insertBatch(tx, made);
  if (batch === null) {
    return null;
  }
  await keepSeed(tx, batch.id, sealSeed(masterKey, batch.id, seed));
  const digests = codesOf(seed, made.count).map((code) => digestOfCode(lettersOf(code)));
  await insertCodes(tx, batch.id, digests);
  return batch;
}

function codesOf(seed: Uint8Array, count: number): string[] {
  return Array.from({ length: count }, (_, index) => makeCode(seed, index));
}

function lettersOf(code: string): string {
  const letters = readCode(code);
  if (letters === null) {
    throw new Error("a code that was just made can't be read");
  }
  return letters;
}

/** Who asks, as the endpoint knows it. */
type AdminCall = Parameters<typeof byCaller>[0];

/**
 * The codes of a batch, in the order in which they were created. Each export is recorded.
 * @throws AppError `not_found`
 */
export async function exportCodes(
  db: Database,
  masterKey: MasterKey,
  { batchId, call }: { readonly batchId: bigint; readonly call: AdminCall },
): Promise<string[]> {
  return await db.withTransaction(async (tx) => {
    const batch = await findBatch(tx, batchId);
    if (batch?.sealedSeed == null) {
      throw notFound("batch");
    }
    const codes = codesOf(openSeed(masterKey, batchId, batch.sealedSeed), batch.count);
    const what = { subjectKind: "code_batch", subjectId: batchId, after: { count: codes.length } };
    await audit(tx, byCaller(call), "code_batch.export", what);
    return codes;
  });
}

/**
 * Revokes the codes of a batch that nobody has used; repeating that changes nothing.
 * @throws AppError `not_found`
 */
export async function revokeCodes(
  db: Database,
  { batchId, reason, call }: { readonly batchId: bigint; readonly reason: string; readonly call: AdminCall },
): Promise<CodeBatchEntry> {
  return await db.withTransaction(async (tx) => {
    const before = await findBatch(tx, batchId);
    if (before === null) {
      throw notFound("batch");
    }
    await revokeBatch(tx, batchId);
    const after = (await findBatch(tx, batchId)) ?? before;
    if (before.revokedAt === null) {
      await audit(tx, byCaller(call), "code_batch.revoke", {
        ...{ subjectKind: "code_batch", subjectId: batchId, reason },
        before: { revokedAt: null },
        after: { revokedAt: after.revokedAt },
      });
    }
    return batchEntry(after);
  });
}

function batchEntry(batch: CodeBatch): CodeBatchEntry {
  return {
    batch_id: batch.id,
    name: batch.name,
    note: batch.note,
    plan_code: batch.planCode,
    plan_kind: batch.planKind,
    quota: batch.quota,
    group_name: batch.groupName,
    count: batch.count,
    is_once_per_user: batch.isOncePerUser,
    expires_at: batch.expiresAt,
    revoked_at: batch.revokedAt,
    created_by: batch.createdBy,
    created_at: batch.createdAt,
  };
}
