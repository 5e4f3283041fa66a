import type { EventType } from "@sluice/contracts/event-types";
import type { Queryable, Transaction } from "../platform/db.ts";
import { notify } from "../platform/db-notifications.ts";
import { eventChannel, type NewEvent } from "./model.ts";
import { beginCondition, endCondition, findConditions, insertEvent } from "./store.ts";

/** Records an event in the transaction in which it happens: it is delivered after the commit, and never without one. */
export async function recordEvent<Type extends EventType>(tx: Transaction, event: NewEvent<Type>): Promise<void> {
  if ((await insertEvent(tx, event)) > 0) {
    await notify(tx, eventChannel, "");
  }
}

/**
 * Records that a condition holds or is over. Only a change is an event.
 * @param name of the condition, such as `errors:17`, which is also the cause of its events
 */
export async function recordCondition<Begun extends EventType, Ended extends EventType>(
  tx: Transaction,
  name: string,
  event:
    | (Omit<NewEvent<Begun>, "cause"> & { readonly holds: true })
    | (Omit<NewEvent<Ended>, "cause"> & { readonly holds: false }),
): Promise<void> {
  const { holds, ...rest } = event;
  const isChanged = holds ? await beginCondition(tx, name) : await endCondition(tx, name);
  if (isChanged) {
    await recordEvent(tx, { ...rest, cause: name } as NewEvent);
  }
}

/** The conditions that hold and whose names begin with this. */
export async function listConditions(db: Queryable, prefix: string): Promise<string[]> {
  return await findConditions(db, prefix);
}
