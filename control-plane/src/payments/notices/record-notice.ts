import { isEqualSecret } from "../../platform/crypto/compare.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type GatewayNotice, isFinished, type NoticeResult } from "../gateways/model.ts";
import {
  countTry,
  findNotice,
  insertNotice,
  lockNotice,
  updateNoticeError,
  updateNoticeResult,
} from "./notice-store.ts";

export type KnownNotice = { readonly id: bigint; readonly result: NoticeResult };

/**
 * Records a message, once. Its content must not change under the same id.
 * @throws AppError `event_conflict` when it came before with other content
 */
export async function recordNotice(db: Database, notice: GatewayNotice): Promise<KnownNotice> {
  const isNew = await insertNotice(db, notice);
  const stored = await findNotice(db, notice);
  if (stored === null) {
    throw new Error("a message of a gateway is missing after it was written");
  }
  if (!isEqualSecret(stored.contentHash, notice.contentHash)) {
    throw new AppError("event_conflict");
  }
  if (!isNew && !isFinished(stored.result)) {
    await countTry(db, stored.id);
  }
  return { id: stored.id, result: stored.result };
}

const takenAgainAfterSeconds = 10;

/** A message to be processed again; `notice` is null for one that has been processed for good. */
export type ReopenedNotice = { readonly notice: GatewayNotice | null; readonly result: NoticeResult };

/**
 * Starts to process a recorded but unfinished message again, from its stored meaning.
 * @throws AppError `not_found`, `conflict` when no meaning was stored, `too_many_attempts` when it was processed a
 * moment ago
 */
export async function reopenNotice(tx: Transaction, id: bigint): Promise<ReopenedNotice> {
  const kept = await lockNotice(tx, id);
  if (kept === null) {
    throw notFound("message");
  }
  if (isFinished(kept.result)) {
    return { notice: null, result: kept.result };
  }
  if (kept.notice === null) {
    throw new AppError("conflict", {
      message: "The content of this message was not stored. Have the gateway send it again.",
    });
  }
  const waitSeconds = Math.ceil(takenAgainAfterSeconds - kept.triedSecondsAgo);
  if (waitSeconds > 0) {
    const message = "This message was processed moments ago or is still being processed.";
    throw new AppError("too_many_attempts", { message, retryAfterSeconds: waitSeconds });
  }
  await countTry(tx, id);
  return { notice: kept.notice, result: kept.result };
}

/** Records the code of the error that kept a message from being processed. */
export async function failNotice(db: Database, id: bigint, code: string): Promise<void> {
  await updateNoticeError(db, id, code);
}

/** Records the outcome of a message. */
export async function closeNotice(db: Database, id: bigint, result: NoticeResult): Promise<void> {
  await updateNoticeResult(db, id, result);
}
