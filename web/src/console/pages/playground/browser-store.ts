import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Attachment, Place, Round } from "./conversation.ts";
import { type ConversationLine, draftFilesLimits, historyLimits } from "./history-limits.ts";

/** A conversation as the browser keeps it. */
export type KeptConversation = ConversationLine & {
  readonly owner: string;
  readonly places: readonly Place[];
  readonly rounds: readonly Round[];
};

/** The files of a message that was not sent yet. */
export type KeptFiles = {
  readonly id: string;
  readonly owner: string;
  readonly attachments: readonly Attachment[];
  readonly updatedAt: number;
};

type Schema = DBSchema & {
  conversation: { key: string; value: KeptConversation; indexes: { owner: string } };
  files: { key: string; value: KeptFiles; indexes: { owner: string } };
};

let opened: Promise<IDBPDatabase<Schema>> | null = null;

function open(): Promise<IDBPDatabase<Schema>> {
  const close = async (): Promise<void> => {
    const closed = opened;
    opened = null;
    (await closed)?.close();
  };
  opened ??= openDB<Schema>("playground", 2, {
    upgrade: (database, from) => {
      if (from < 1) {
        database.createObjectStore("conversation", { keyPath: "id" }).createIndex("owner", "owner");
      }
      database.createObjectStore("files", { keyPath: "id" }).createIndex("owner", "owner");
    },
    // Another tab with a newer page wants to change the form.
    blocking: () => void close(),
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

/** Deletes all that the browser keeps of an owner. */
export async function deleteConversations(owner: string): Promise<void> {
  const database = await open();
  for (const store of ["conversation", "files"] as const) {
    const keys = await database.getAllKeysFromIndex(store, "owner", owner);
    await Promise.all(keys.map((key) => database.delete(store, key)));
  }
}

/** Keeps files of a message, and drops those of messages that were given up. */
export async function keepFiles(files: KeptFiles): Promise<void> {
  const database = await open();
  await database.put("files", files);
  const all = (await database.getAll("files")).toSorted((a, b) => b.updatedAt - a.updatedAt);
  for (const [index, { id, updatedAt }] of all.entries()) {
    if (index >= draftFilesLimits.count || updatedAt < files.updatedAt - draftFilesLimits.ageMs) {
      await database.delete("files", id);
    }
  }
}

/** The files of an owner's message; none if they were dropped. */
export async function findFiles(owner: string, id: string): Promise<readonly Attachment[]> {
  const found = await (await open()).get("files", id);
  return found?.owner === owner ? found.attachments : [];
}

export async function deleteFiles(id: string): Promise<void> {
  await (await open()).delete("files", id);
}
