import { and, eq, ne } from "drizzle-orm";
import { clock, countOfRows, plusOne } from "../../db/expressions.ts";
import { exitNode, exitNodeRoute, exitProviderAccount } from "../../db/schema/exit-nodes.ts";
import { ability, channel } from "../../db/schema/gateway-routing.ts";
import { secret } from "../../db/schema/secrets.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Archivable, type Counts, rowsOf } from "./archive-store.ts";

export async function lockNodeRow(tx: Queryable, code: string): Promise<Archivable | null> {
  const [row] = await tx.drizzle
    .select({ name: exitNode.name, archivedAt: exitNode.archivedAt })
    .from(exitNode)
    .where(eq(exitNode.nodeCode, code))
    .for("update");
  return row ?? null;
}

export async function countOfNode(tx: Queryable, code: string): Promise<Counts> {
  const rows = { rows: countOfRows };
  const isOfNode = eq(exitNode.nodeCode, code);
  const keys = await tx.drizzle
    .select(rows)
    .from(secret)
    .innerJoin(exitNode, eq(exitNode.relayKeySecret, secret.name))
    .where(isOfNode);
  const accounts = await tx.drizzle
    .select(rows)
    .from(exitProviderAccount)
    .innerJoin(exitNode, eq(exitNode.id, exitProviderAccount.exitNodeId))
    .where(and(isOfNode, ne(exitProviderAccount.status, "disabled")));
  const routes = await tx.drizzle
    .select(rows)
    .from(exitNodeRoute)
    .innerJoin(exitNode, eq(exitNode.id, exitNodeRoute.exitNodeId))
    .where(and(isOfNode, ne(exitNodeRoute.status, "disabled")));
  return { relay_key: rowsOf(keys), accounts: rowsOf(accounts), routes: rowsOf(routes) };
}

/** No call goes there any more, and its relay key is destroyed: it has to be entered again after a restoration. */
export async function archiveNode(tx: Queryable, code: string): Promise<void> {
  const [node] = await tx.drizzle
    .update(exitNode)
    .set({
      status: "disabled",
      isServing: false,
      provenAt: null,
      version: plusOne(exitNode.version),
      archivedAt: clock,
      updatedAt: clock,
    })
    .where(eq(exitNode.nodeCode, code))
    .returning({ id: exitNode.id, relayKeySecret: exitNode.relayKeySecret });
  if (node === undefined) {
    throw new Error(`the exit node ${code} is gone though its row was locked`);
  }
  await tx.drizzle.delete(secret).where(eq(secret.name, node.relayKeySecret));
  await tx.drizzle
    .update(exitProviderAccount)
    .set({ status: "disabled", version: plusOne(exitProviderAccount.version), updatedAt: clock })
    .where(and(eq(exitProviderAccount.exitNodeId, node.id), ne(exitProviderAccount.status, "disabled")));
  const [closed] = await tx.drizzle
    .update(channel)
    .set({ status: "disabled", credentialSealed: null, updatedAt: clock })
    .where(eq(channel.exitNodeCode, code))
    .returning({ id: channel.id });
  if (closed !== undefined) {
    await tx.drizzle.delete(ability).where(eq(ability.channelId, closed.id));
  }
}

export async function restoreNode(tx: Queryable, code: string): Promise<void> {
  await tx.drizzle
    .update(exitNode)
    .set({ archivedAt: null, version: plusOne(exitNode.version), updatedAt: clock })
    .where(eq(exitNode.nodeCode, code));
}
