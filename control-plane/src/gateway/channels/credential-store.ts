import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { channelCredential } from "../../db/schema/gateway-routing.ts";
import type { Queryable } from "../../platform/db.ts";
import type { CredentialRefusal } from "./model.ts";

export type CredentialRow = {
  id: CredentialId;
  channel_id: ChannelId;
  label: string;
  /** Null for the credential of the channel itself. */
  secret_sealed: Uint8Array | null;
  weight: number;
  status: "enabled" | "disabled";
  requests_per_minute: number | null;
  concurrency_max: number | null;
  refused_at: Date | null;
  refused_reason: CredentialRefusal | null;
};

/** The credentials of one channel, or of all, the oldest first. */
export async function listCredentials(db: Queryable, channelId: ChannelId | null = null): Promise<CredentialRow[]> {
  const rows = await db.drizzle
    .select({
      id: channelCredential.id,
      channel_id: channelCredential.channelId,
      label: channelCredential.label,
      secret_sealed: channelCredential.secretSealed,
      weight: channelCredential.weight,
      status: channelCredential.status,
      requests_per_minute: channelCredential.requestsPerMinute,
      concurrency_max: channelCredential.concurrencyMax,
      refused_at: channelCredential.refusedAt,
      refused_reason: channelCredential.refusedReason,
    })
    .from(channelCredential)
    .where(channelId === null ? undefined : eq(channelCredential.channelId, channelId))
    .orderBy(asc(channelCredential.id));
  return rows as CredentialRow[];
}

/** Marks a credential that a provider refuses, unless it is marked. */
export async function markRefused(db: Queryable, id: CredentialId, reason: CredentialRefusal): Promise<void> {
  await db.drizzle
    .update(channelCredential)
    .set({ refusedAt: now, refusedReason: reason })
    .where(and(eq(channelCredential.id, id), isNull(channelCredential.refusedAt)));
}

/** Removes the mark of a credential that a provider accepts. */
export async function markAccepted(db: Queryable, id: CredentialId): Promise<void> {
  await db.drizzle
    .update(channelCredential)
    .set({ refusedAt: null, refusedReason: null })
    .where(and(eq(channelCredential.id, id), isNotNull(channelCredential.refusedAt)));
}

export type CredentialSettings = Pick<
  CredentialRow,
  "label" | "weight" | "status" | "requests_per_minute" | "concurrency_max"
>;

/** Adds a further credential to a channel; its secret is sealed once the row has an id. */
export async function insertCredential(
  tx: Queryable,
  channelId: ChannelId,
  seal: (id: CredentialId) => Uint8Array,
): Promise<CredentialId> {
  const [row] = await tx.drizzle
    .insert(channelCredential)
    .values({ channelId, secretSealed: new Uint8Array(1) })
    .returning({ id: channelCredential.id });
  if (row === undefined) {
    throw new Error(`a credential of channel ${channelId} was not added`);
  }
  await setFurtherSecret(tx, row.id as CredentialId, seal(row.id as CredentialId));
  return row.id as CredentialId;
}

/** A new secret is not the one that was refused. */
export async function setFurtherSecret(tx: Queryable, id: CredentialId, secretSealed: Uint8Array): Promise<void> {
  await tx.drizzle
    .update(channelCredential)
    .set({ secretSealed, refusedAt: null, refusedReason: null, updatedAt: now })
    .where(eq(channelCredential.id, id));
}

export async function updateCredential(tx: Queryable, id: CredentialId, to: CredentialSettings): Promise<void> {
  const { label, weight, status, requests_per_minute: requestsPerMinute, concurrency_max: concurrencyMax } = to;
  await tx.drizzle
    .update(channelCredential)
    .set({ label, weight, status, requestsPerMinute, concurrencyMax, updatedAt: now })
    .where(eq(channelCredential.id, id));
}

export async function deleteCredential(tx: Queryable, id: CredentialId): Promise<void> {
  await tx.drizzle.delete(channelCredential).where(eq(channelCredential.id, id));
}
