import { type Accessor, createEffect, createSignal, on, untrack } from "solid-js";
import { unwrap } from "solid-js/store";
import { newIdempotencyKey } from "../../../api/client.ts";
import type { Chat } from "./chat.ts";
import type { Place } from "./conversation.ts";
import { toLine } from "./history-limits.ts";
import type { KeptConversation } from "./history-store.ts";

export type History = {
  /** False when the browser keeps nothing. */
  readonly isKept: Accessor<boolean>;
  readonly list: () => Promise<readonly KeptConversation[]>;
  readonly open: (conversation: KeptConversation) => void;
  /** Begins a conversation; the one before stays in the history. */
  readonly start: () => void;
  /** Deletes one; null for all of the owner. What is shown stays, as a new conversation. */
  readonly remove: (id: string | null) => Promise<void>;
};

type HistoryParts = {
  readonly chat: Chat;
  readonly places: Accessor<readonly Place[]>;
  readonly onPlaces: (places: readonly Place[]) => void;
  /** Whose conversations are shown; null until it is known. */
  readonly owner: Accessor<string | null>;
  /** The conversation of this tab, which a reload opens again. */
  readonly currentId: Accessor<string>;
  readonly onCurrent: (id: string) => void;
};

const store = () => import("./history-store.ts");

/** Keeps the conversation in the browser each time that an answer is complete. */
export function createHistory({ chat, places, onPlaces, owner, currentId, onCurrent }: HistoryParts): History {
  const [isKept, setIsKept] = createSignal(true);
  /** A browser may refuse storage, or have no room; the page says so, and goes on without. */
  const guarded = async <Result>(work: () => Promise<Result>, fallback: Result): Promise<Result> => {
    try {
      return await work();
    } catch {
      setIsKept(false);
      return fallback;
    }
  };
  const keep = async (): Promise<void> => {
    const [whose, rounds] = [owner(), unwrap(chat.rounds)];
    if (whose === null || rounds.length === 0) {
      return;
    }
    if (currentId() === "") {
      onCurrent(newIdempotencyKey());
    }
    const line = toLine(currentId(), rounds, { places: places(), now: Date.now() });
    const kept = structuredClone({ ...line, owner: whose, places: places(), rounds });
    await guarded(async () => await (await store()).keepConversation(kept), undefined);
  };
  createEffect(on(chat.revision, () => void untrack(keep), { defer: true }));
  const open = (conversation: KeptConversation): void => {
    onCurrent(conversation.id);
    onPlaces(conversation.places);
    chat.load(conversation.rounds);
  };
  const reopen = async (whose: string): Promise<void> => {
    const found = await guarded(async () => await (await store()).findConversation(whose, currentId()), undefined);
    if (found === undefined) {
      onCurrent("");
    } else if (chat.rounds.length === 0) {
      open(found);
    }
  };
  createEffect(
    on(owner, (whose) => {
      if (whose !== null && untrack(currentId) !== "") {
        void reopen(whose);
      }
    }),
  );
  return {
    isKept,
    list: async () => await guarded(async () => await (await store()).listConversations(owner() ?? ""), []),
    open,
    start: () => {
      onCurrent("");
      chat.load([]);
    },
    remove: async (id) => {
      await guarded(async () => {
        const { deleteConversation, deleteConversations } = await store();
        await (id === null ? deleteConversations(owner() ?? "") : deleteConversation(id));
      }, undefined);
      if (id === null || id === currentId()) {
        onCurrent("");
      }
    },
  };
}
