import { type Accessor, createEffect, createSignal, on, untrack } from "solid-js";
import { unwrap } from "solid-js/store";
import { newIdempotencyKey } from "../../../api/client.ts";
import type { KeptConversation } from "./browser-store.ts";
import type { Chat } from "./chat.ts";
import type { Place } from "./conversation.ts";
import { historyLimits, toLine } from "./history-limits.ts";
import { createInOrder } from "./in-order.ts";
import { type StorageProblem, storageProblemOf } from "./storage-problem.ts";

export type History = {
  /** Why the browser does not keep what is shown; null if it does. */
  readonly problem: Accessor<StorageProblem | null>;
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

const store = () => import("./browser-store.ts");

/** Keeps the conversation in the browser each time that a message is sent or an answer is complete. */
export function createHistory({ chat, places, onPlaces, owner, currentId, onCurrent }: HistoryParts): History {
  const [problem, setProblem] = createSignal<StorageProblem | null>(null);
  const inOrder = createInOrder();
  /** A browser may refuse storage, or have no room: the page says so, and continues without. */
  const guarded = async <Result>(work: () => Promise<Result>, fallback: Result): Promise<Result> => {
    try {
      const result = await inOrder(work);
      setProblem(null);
      return result;
    } catch (error) {
      setProblem(storageProblemOf(error));
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
    if (line.bytes > historyLimits.bytes) {
      setProblem("large");
      return;
    }
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
    problem,
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
