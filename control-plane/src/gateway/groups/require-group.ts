import type { Queryable, Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { findGroup, type Group, lockGroup } from "./store.ts";

/** @throws AppError `not_found` */
export async function requireGroup(db: Queryable, name: string): Promise<Group> {
  return existing(await findGroup(db, name), name);
}

/** A group that something new may use. @throws AppError `not_found`, `conflict` for one that is archived */
export async function requireUsableGroup(db: Queryable, name: string): Promise<Group> {
  const group = await requireGroup(db, name);
  refuseArchived(group);
  return group;
}

/** The group, locked until the transaction ends. @throws AppError `not_found`, `conflict` for one that is archived */
export async function requireLockedGroup(tx: Transaction, name: string): Promise<Group> {
  const group = existing(await lockGroup(tx, name), name);
  refuseArchived(group);
  return group;
}

/** @throws AppError `conflict` for a group that is archived */
export function refuseArchived(group: Group | null): void {
  if (group !== null && group.archivedAt !== null) {
    throw new AppError("conflict", { message: `The group ${group.name} is archived. Restore it first.` });
  }
}

function existing(group: Group | null, name: string): Group {
  if (group === null) {
    throw new AppError("not_found", { message: `The group ${name} does not exist. Create it first.` });
  }
  return group;
}
