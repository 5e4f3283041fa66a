import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Place, Round } from "./conversation.ts";
import { type ConversationLine, historyLimits } from "./history-limits.ts";

/** A conversation as the browser keeps it. */
export type KeptConversation = ConversationLine & {
  readonly owner: string;
  readonly places: readonly Place[];
  readonly rounds: readonly Round[];
};

type Schema = DBSchema & {
  conversation: { key: string; value: KeptConversation; indexes: { owner: string } };
};

let opened: Promise<IDBPDatabase<Schema>> | null = null;

function open(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>("playground", 1, {
    upgrade: (database) => {
      database.createObjectStore("conversation", { keyPath: "id" }).createIndex("owner", "owner");
    },
    // Another tab with a newer page wants to change the form.
    blocking: () => void opened?.then((database) => database.close()),
    terminated: () => {
      opened = null;
    },
  });
  return opened;
}

/** Keeps a conversation, and drops the oldest ones of its owner that are too many. */
export async function keepConversation(conversation: KeptConversation): Promise<void> {
  const database = await open();
  await database.put("conversation", conversation);
  let bytes = 0;
  for (const [index, line] of (await listConversations(conversation.owner)).entries()) {
    bytes += line.bytes;
    if (index >= historyLimits.count || bytes > historyLimits.bytes) {
      await database.delete("conversation", line.id);
    }
  }
}

/** The conversations of an owner, the latest first. */
export async function listConversations(owner: string): Promise<readonly KeptConversation[]> {
  const all = await (await open()).getAllFromIndex("conversation", "owner", owner);
  return all.toSorted((a, b) => b.updatedAt - a.updatedAt);
}

/** A conversation of an owner; undefined if it was deleted. */
export async function findConversation(owner: string, id: string): Promise<KeptConversation | undefined> {
  const found = await (await open()).get("conversation", id);
  return found?.owner === owner ? found : undefined;
}

export async function deleteConversation(id: string): Promise<void> {
  await (await open()).delete("conversation", id);
}

export async function deleteConversations(owner: string): Promise<void> {
  const database = await open();
  const keys = await database.getAllKeysFromIndex("conversation", "owner", owner);
  await Promise.all(keys.map((key) => database.delete("conversation", key)));
}
