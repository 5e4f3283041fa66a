import { type Accessor, createEffect, createSignal, on, untrack } from "solid-js";
import { newIdempotencyKey } from "../../../api/client.ts";
import type { Attachment } from "./conversation.ts";
import { createInOrder } from "./in-order.ts";
import { type StorageProblem, storageProblemOf } from "./storage-problem.ts";

/** The files of the message that is being written. The browser keeps them, so that a reload of the page does not lose them. */
export type DraftFiles = {
  readonly all: Accessor<readonly Attachment[]>;
  readonly change: (files: readonly Attachment[]) => void;
  /** Why a reload would lose them; null if it would not. */
  readonly problem: Accessor<StorageProblem | null>;
};

type DraftFilesParts = {
  /** Whose files are shown; null until it is known. */
  readonly owner: Accessor<string | null>;
  /** Under which id this tab keeps its files; empty while it has none. */
  readonly id: Accessor<string>;
  readonly onId: (id: string) => void;
};

const store = () => import("./browser-store.ts");

export function createDraftFiles({ owner, id, onId }: DraftFilesParts): DraftFiles {
  const [all, setAll] = createSignal<readonly Attachment[]>([]);
  const [problem, setProblem] = createSignal<StorageProblem | null>(null);
  const inOrder = createInOrder();
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await inOrder(work);
      setProblem(null);
    } catch (error) {
      setProblem(storageProblemOf(error));
    }
  };
  const restore = async (whose: string, known: string): Promise<void> => {
    await guarded(async () => {
      const found = await (await store()).findFiles(whose, known);
      setAll((present) => (present.length > 0 ? present : found));
    });
  };
  const keep = async (files: readonly Attachment[], whose: string): Promise<void> => {
    const known = id();
    if (files.length > 0) {
      const chosen = known === "" ? newIdempotencyKey() : known;
      onId(chosen);
      const attachments = structuredClone(files);
      await guarded(async () => {
        await (await store()).keepFiles({ id: chosen, owner: whose, attachments, updatedAt: Date.now() });
      });
    } else if (known !== "") {
      onId("");
      await guarded(async () => await (await store()).deleteFiles(known));
    }
  };
  createEffect(
    on(owner, (whose) => {
      // Files may have been chosen before the owner was known.
      const [chosen, known] = [untrack(all), untrack(id)];
      if (whose !== null && (chosen.length > 0 || known !== "")) {
        void (chosen.length > 0 ? keep(chosen, whose) : restore(whose, known));
      }
    }),
  );
  return {
    all,
    change: (files) => {
      setAll(files);
      const whose = owner();
      if (whose !== null) {
        void keep(files, whose);
      }
    },
    problem: () => (all().length === 0 ? null : problem()),
  };
}
