import type { SaveViewInput } from "@sluice/contracts/saved-views";
import { and, asc, eq, ne } from "drizzle-orm";
import { clock, countOfRows } from "../../db/expressions.ts";
import { sharedAdminCredentials } from "../../db/schema/admins.ts";
import { savedView } from "../../db/schema/saved-views.ts";
import { type Queryable, rowsWritten } from "../../platform/db.ts";

const columns = {
  view_id: savedView.id,
  list: savedView.list,
  name: savedView.name,
  query: savedView.query,
  hidden_columns: savedView.hiddenColumns,
  is_default: savedView.isDefault,
};

export async function listViews(db: Queryable, adminId: bigint) {
  return await db.drizzle
    .select(columns)
    .from(savedView)
    .where(eq(savedView.adminId, adminId))
    .orderBy(asc(savedView.list), asc(savedView.name));
}

/** How many views an admin has, whose row is locked until the transaction ends: in all, and for one list. */
export async function countViews(tx: Queryable, adminId: bigint, list: string) {
  await tx.drizzle
    .select({ id: sharedAdminCredentials.id })
    .from(sharedAdminCredentials)
    .where(eq(sharedAdminCredentials.id, adminId))
    .for("no key update");
  const isOwn = eq(savedView.adminId, adminId);
  const [all] = await tx.drizzle.select({ rows: countOfRows }).from(savedView).where(isOwn);
  const [ofList] = await tx.drizzle
    .select({ rows: countOfRows })
    .from(savedView)
    .where(and(isOwn, eq(savedView.list, list)));
  return { all: all?.rows ?? 0, ofList: ofList?.rows ?? 0 };
}

export async function hasView(tx: Queryable, adminId: bigint, { list, name }: SaveViewInput): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: savedView.id })
    .from(savedView)
    .where(and(eq(savedView.adminId, adminId), eq(savedView.list, list), eq(savedView.name, name)));
  return rows.length > 0;
}

/** Saves a view under its name. If it is the default, no other one of the list is. */
export async function putView(tx: Queryable, adminId: bigint, input: SaveViewInput) {
  const { list, name, query, hidden_columns: hiddenColumns, is_default: isDefault } = input;
  if (isDefault) {
    await tx.drizzle
      .update(savedView)
      .set({ isDefault: false, updatedAt: clock })
      .where(and(eq(savedView.adminId, adminId), eq(savedView.list, list), ne(savedView.name, name)));
  }
  const set = { query, hiddenColumns, isDefault };
  const [row] = await tx.drizzle
    .insert(savedView)
    .values({ adminId, list, name, ...set })
    .onConflictDoUpdate({
      target: [savedView.adminId, savedView.list, savedView.name],
      set: { ...set, updatedAt: clock },
    })
    .returning(columns);
  if (row === undefined) {
    throw new Error("the view was not saved");
  }
  return row;
}

/** Returns whether the admin had it. */
export async function deleteView(tx: Queryable, adminId: bigint, id: bigint): Promise<boolean> {
  const deleted = await tx.drizzle.delete(savedView).where(and(eq(savedView.adminId, adminId), eq(savedView.id, id)));
  return rowsWritten(deleted) > 0;
}
