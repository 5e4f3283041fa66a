import type { Queryable, Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { findGroup, type Group, lockGroup } from "./store.ts";

/** @throws AppError `not_found` */
export async function requireGroup(db: Queryable, name: string): Promise<Group> {
  return existing(await findGroup(db, name), name);
}

/** The group, locked until the transaction ends. @throws AppError `not_found` */
export async function requireLockedGroup(tx: Transaction, name: string): Promise<Group> {
  return existing(await lockGroup(tx, name), name);
}

function existing(group: Group | null, name: string): Group {
  if (group === null) {
    throw new AppError("not_found", { message: `The group ${name} does not exist. Create it first.` });
  }
  return group;
}
