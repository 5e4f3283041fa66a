import type { ActKind, ApprovalEntry, Effects } from "@sluice/contracts/approvals";
import type { MailQueue } from "../../mail/model.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { SealedColumn } from "../../platform/crypto/sealed-column.ts";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import type { AdminCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { AuditChange } from "../audit/model.ts";
import { audit, byAdmin, byCaller } from "../audit/service.ts";
import { mailWaiting } from "./mail-waiting.ts";
import { type Amount, type AmountRules, type Approval, type Demand, demandOf } from "./model.ts";
import type { Act, ActOrigin, Performed, SuperAdmins } from "./port.ts";
import { type InputText, inputText, keepSecret, sealedInputs, wholeInput } from "./sealed-input.ts";
import {
  closeApproval,
  countAmount,
  countPending,
  expireApprovals,
  findApproval,
  findPending,
  insertApproval,
  listApprovals,
  lockApproval,
  readCounted,
} from "./store.ts";

/** Approvers have three days to decide, so that a weekend does not matter. */
const hoursToDecide = 72;
const pendingMax = 100n;
const listedMax = 200;

/** What this feature encrypts under the master key. */
export const approvalSealedColumns: readonly SealedColumn[] = [sealedInputs];

export type ApprovalDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  /** Reads the rules from the database each time, so that no act follows rules that have just been changed. */
  readonly rules: (db: Queryable) => Promise<AmountRules>;
  readonly admins: SuperAdmins;
  readonly mails: MailQueue;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
  /** Every act that may wait for a second person. The service performs it after the approval. */
  readonly acts: readonly KeptAct[];
};

/** Who performs an act, and in which request. */
export type ActCaller = {
  readonly admin: AdminCaller;
  readonly requestId: string;
  readonly clientIp: string;
  /** Without a key, the same act by the same admin counts as a repetition. */
  readonly idempotencyKey?: string;
};

export type Decision = {
  readonly approvalId: bigint;
  readonly isApproved: boolean;
  readonly reason: string;
};

/** Thrown in the transaction of an act that has to wait, so that all of the act is rolled back. */
export class SecondPersonNeeded extends Error {
  readonly performed: Performed;

  constructor(performed: Performed) {
    super("a second super-admin has to approve");
    this.performed = performed;
  }
}

/** Thrown in the transaction of an act that is only previewed, for the same reason. */
class PreviewRollback extends Error {
  readonly effects: Effects;

  constructor(effects: Effects) {
    super("foreseen");
    this.effects = effects;
  }
}

/** An act whose input is read from storage. */
export type KeptAct = {
  readonly kind: ActKind;
  readonly secretField?: string;
  readonly perform: (tx: Transaction, kept: unknown, origin: ActOrigin) => Promise<Performed>;
};

/** Prepares an act to run from its stored input, which is parsed again by the act's own schema. */
export function keptAct<Input>({ kind, schema, secretField, perform }: Act<Input>): KeptAct {
  const sealed = secretField === undefined ? {} : { secretField };
  return { kind, ...sealed, perform: (tx, kept, origin) => perform(tx, schema.parse(kept), origin) };
}

type Change = AuditChange & { readonly action: string };

/** Records what an act changed, who did it, and which request it came from. */
export async function recordAct(tx: Transaction, origin: ActOrigin, change: Change): Promise<void> {
  const { approvalId } = origin;
  const { action, after: plain, ...rest } = change;
  const after = approvalId === null ? plain : { ...(plain as object), approvalId };
  await audit(tx, byAdmin({ ...origin, username: origin.adminName }, origin), action, { ...rest, after });
}

/**
 * Actions of admins that move money or quota, or change the rules for that. Within the limits of the settings, an
 * action happens immediately. Above them, only super-admins may take it, and the largest actions need a second
 * super-admin's approval.
 */
export class Approvals {
  readonly #deps: ApprovalDeps;

  constructor(deps: ApprovalDeps) {
    this.#deps = deps;
  }

  /**
   * Performs the act, or leaves it waiting for approval. What the admin has moved today is counted in the transaction
   * of the act, under a lock on the admin's row, so that simultaneous requests can't exceed a limit.
   * @returns the result of the act, or `approval` if it waits
   * @throws AppError `super_admin_required`, `step_up_required`, and those of the act
   */
  async carryOut<Input extends object>(
    act: Act<Input>,
    input: Input,
    caller: ActCaller,
  ): Promise<Record<string, unknown>> {
    const { db, masterKey } = this.#deps;
    const origin = originOf(caller, inputText(input, act.secretField), masterKey);
    try {
      const performed = await db.withTransaction(async (tx) => {
        // The rules are read before the act, which may change them.
        const rules = await this.#deps.rules(tx);
        const done = await act.perform(tx, input, origin);
        await this.#admit(tx, done, { admin: caller.admin, rules });
        return done;
      });
      return await performed.finish();
    } catch (error) {
      if (!(error instanceof SecondPersonNeeded)) {
        throw error;
      }
      const { effects, settledInput } = error.performed;
      const text = inputText({ ...input, ...settledInput }, act.secretField);
      const what = { kind: act.kind, text, reason: act.reasonOf(input), effects };
      return { approval: toApprovalEntry(await this.#leave(what, origin)) };
    }
  }

  /** What it would currently take an admin to move this amount. */
  async previewDemand(db: Database | Transaction, adminId: bigint, amount: Amount): Promise<Demand> {
    const counted = await readCounted(db, adminId, amount.kind);
    return demandOf(amount, counted + amount.quota, await this.#deps.rules(db));
  }

  async list(): Promise<ApprovalEntry[]> {
    return (await listApprovals(this.#deps.db, listedMax)).map(toApprovalEntry);
  }

  /**
   * A request, and the effect that it would have now, which is found by performing it and rolling back.
   * @throws AppError `not_found`
   */
  async describe(
    id: bigint,
  ): Promise<{ approval: ApprovalEntry; foreseen: { effects: Effects; problem: string | null } | null }> {
    const approval = await findApproval(this.#deps.db, id);
    if (approval === null) {
      throw notFound("request");
    }
    const foreseen = approval.status === "pending" ? await this.#previewEffects(approval) : null;
    return { approval: toApprovalEntry(approval), foreseen };
  }

  /**
   * Approves a request, which is then performed in the same transaction, or rejects it. All rights are checked again.
   * @throws AppError `not_found`, `conflict` when there is nothing to decide or the requester is no longer a
   * super-admin, `self_forbidden`, `super_admin_required`, and those of the act
   */
  async decide(decision: Decision, caller: Omit<ActCaller, "idempotencyKey">): Promise<ApprovalEntry> {
    const performed = await this.#deps.db.withTransaction(async (tx) => {
      const approval = refuseDecided(await lockApproval(tx, decision.approvalId));
      await this.#refuseWrong(tx, approval, { decision, caller });
      const done = decision.isApproved ? await this.#performKept(tx, approval) : null;
      const { adminId, username: adminName } = caller.admin;
      const status = decision.isApproved ? "approved" : "rejected";
      await closeApproval(tx, approval.id, { status, adminId, adminName, reason: decision.reason });
      await audit(tx, byCaller(caller), decision.isApproved ? "approval.approve" : "approval.reject", {
        subjectKind: "approval",
        subjectId: approval.id,
        before: { kind: approval.kind, requestedBy: approval.requestedByName, effects: approval.effects },
        after: done === null ? null : { effects: done.effects, isNew: done.isNew },
        reason: decision.reason,
      });
      return done;
    });
    // If the process dies here, the feature's jobs finish this.
    await performed?.finish();
    const approval = await findApproval(this.#deps.db, decision.approvalId);
    if (approval === null) {
      throw new Error(`approval ${decision.approvalId} is gone`);
    }
    return toApprovalEntry(approval);
  }

  async #admit(
    tx: Transaction,
    done: Performed,
    { admin, rules }: { readonly admin: AdminCaller; readonly rules: AmountRules },
  ): Promise<void> {
    const { amount, isNew, takesTwo } = done;
    if (!isNew) {
      return;
    }
    const needsSecondPerson = takesTwo && rules.secondPersonAboveUsd > 0;
    const ofAmount =
      amount === null ? "nothing" : demandOf(amount, await countAmount(tx, admin.adminId, amount), rules);
    const demand: Demand = needsSecondPerson ? "second_person" : ofAmount;
    if (demand === "nothing") {
      return;
    }
    if (!admin.isSuper || !admin.isFresh) {
      const limits = amount === null ? "" : limitsText(rules[amount.kind]);
      throw admin.isSuper
        ? new AppError("step_up_required", { message: `This requires a recent login.${limits}` })
        : new AppError("super_admin_required", { message: `This requires a super-admin.${limits}` });
    }
    if (demand === "second_person") {
      throw new SecondPersonNeeded(done);
    }
  }

  async #leave(
    what: { readonly kind: ActKind; readonly text: InputText; readonly reason: string; readonly effects: Effects },
    origin: ActOrigin,
  ): Promise<Approval> {
    const { idempotencyKey, adminId: requestedBy, adminName: requestedByName, tokenName, requestId, ip } = origin;
    return await this.#deps.db.withTransaction(async (tx) => {
      await expireApprovals(tx);
      if ((await countPending(tx)) >= pendingMax) {
        throw new AppError("conflict", {
          message: `${pendingMax} requests are already pending. Decide on some first.`,
        });
      }
      const who = { requestedBy, requestedByName, requestId, ip };
      const { text, ...summary } = what;
      const made = await insertApproval(tx, {
        ...{ ...summary, ...who, idempotencyKey },
        ...{ input: text.kept, hours: hoursToDecide },
      });
      if (made === null) {
        return await this.#sameAs(tx, what.kind, { kept: text.kept, idempotencyKey });
      }
      if (text.secret !== null) {
        await keepSecret(tx, this.#deps.masterKey, made.id, text.secret);
      }
      await audit(
        tx,
        byAdmin({ adminId: requestedBy, username: requestedByName, tokenName }, { requestId, ip }),
        "approval.request",
        {
          subjectKind: "approval",
          subjectId: made.id,
          after: { kind: what.kind, effects: what.effects },
          reason: what.reason,
        },
      );
      await mailWaiting(tx, this.#deps, { approval: made, hours: hoursToDecide });
      return made;
    });
  }

  /** Finds the request that already waits under this key, if it is for the same act. */
  async #sameAs(
    tx: Transaction,
    kind: ActKind,
    { kept, idempotencyKey }: { readonly kept: string; readonly idempotencyKey: string },
  ): Promise<Approval> {
    const waiting = await findPending(tx, kind, idempotencyKey);
    if (waiting === null || !Bun.deepEquals(waiting.input, JSON.parse(kept))) {
      throw new AppError("idempotency_mismatch", { message: "Another pending request uses this idempotency key." });
    }
    return waiting;
  }

  async #previewEffects(approval: Approval): Promise<{ effects: Effects; problem: string | null }> {
    try {
      await this.#deps.db.withTransaction(async (tx) => {
        throw new PreviewRollback((await this.#performKept(tx, approval)).effects);
      });
    } catch (error) {
      if (error instanceof PreviewRollback) {
        return { effects: error.effects, problem: null };
      }
      if (error instanceof AppError) {
        return { effects: approval.effects, problem: error.message };
      }
      throw error;
    }
    throw new Error("what was foreseen was done");
  }

  async #performKept(tx: Transaction, approval: Approval): Promise<Performed> {
    const act = this.#deps.acts.find(({ kind }) => kind === approval.kind);
    if (act === undefined) {
      throw new Error(`nobody knows how to do ${approval.kind}`);
    }
    const { requestedBy: adminId, requestedByName: adminName, requestId, ip, idempotencyKey } = approval;
    const { id, input } = approval;
    const whole = await wholeInput(tx, this.#deps.masterKey, { ...act, id, input });
    return await act.perform(tx, whole, {
      ...{ adminId, adminName, requestId, ip, idempotencyKey },
      approvalId: approval.id,
    });
  }

  async #refuseWrong(
    tx: Transaction,
    approval: Approval,
    { decision, caller }: { readonly decision: Decision; readonly caller: Pick<ActCaller, "admin"> },
  ): Promise<void> {
    const { adminId } = caller.admin;
    // Withdrawing one's own request needs no second person.
    if (decision.isApproved && approval.requestedBy === adminId) {
      throw new AppError("self_forbidden", { message: "Another super-admin has to approve this." });
    }
    const { admins } = this.#deps;
    if (!(await admins.hold(tx, [adminId]))) {
      throw new AppError("super_admin_required");
    }
    if (decision.isApproved && !(await admins.hold(tx, [approval.requestedBy]))) {
      throw new AppError("conflict", { message: `${approval.requestedByName} is no longer a super-admin.` });
    }
  }
}

function refuseDecided(approval: Approval | null): Approval {
  if (approval === null) {
    throw notFound("request");
  }
  if (approval.status !== "pending") {
    throw new AppError("conflict", { message: `There is nothing to decide: the request is ${approval.status}.` });
  }
  return approval;
}

function originOf(caller: ActCaller, { all }: InputText, masterKey: MasterKey): ActOrigin {
  const { admin, requestId, clientIp: ip, idempotencyKey } = caller;
  const { adminId, username: adminName, tokenName } = admin;
  // The name is a keyed hash, because it must not reveal a secret in the input.
  const naming = new Bun.CryptoHasher("sha256", masterKey.deriveKey("name acts of admins"));
  const key = idempotencyKey ?? naming.update(`${adminId} ${all}`).digest("hex");
  return { adminId, adminName, tokenName, requestId, ip, idempotencyKey: key, approvalId: null };
}

function limitsText({ usdMax, usdPerDayMax }: AmountRules["adjust"]): string {
  return ` Without it, the limits are ${usdMax} USD at once and ${usdPerDayMax} USD a day.`;
}

function toApprovalEntry(approval: Approval): ApprovalEntry {
  return {
    approval_id: approval.id,
    kind: approval.kind,
    reason: approval.reason,
    effects: approval.effects,
    requested_by: approval.requestedBy,
    requested_by_name: approval.requestedByName,
    status: approval.status,
    created_at: approval.createdAt,
    expires_at: approval.expiresAt,
    decided_by_name: approval.decidedByName,
    decided_at: approval.decidedAt,
    decision_reason: approval.decisionReason,
  };
}
