import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { LoadingPart, Notice } from "../../kit/states.tsx";
import { shownMoment } from "../shown.ts";
import type { Archived } from "./archive-forms.tsx";
import { IfAllowed } from "./rights.tsx";

const ArchiveForms = lazy(async () => ({ default: (await import("./archive-forms.tsx")).ArchiveForms }));

/** Archives a thing, or brings it back. */
export function ArchiveButton(props: Archived): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const isArchived = (): boolean => props.archivedAt !== null;
  const close = (): void => {
    setIsOpen(false);
  };
  return (
    <IfAllowed operation={isArchived() ? "/backend/admin/archive/restore/" : "/backend/admin/archive/add/"}>
      <Button variant={isArchived() ? "plain" : "danger"} onClick={() => setIsOpen(true)}>
        {isArchived() ? "Restore" : "Archive"}
      </Button>
      <Dialog isOpen={isOpen()} onClose={close} title={`${isArchived() ? "Restore" : "Archive"} the ${props.kind}`}>
        <Show when={isOpen()}>
          <Suspense fallback={<LoadingPart />}>
            <ArchiveForms {...props} onDone={close} />
          </Suspense>
        </Show>
      </Dialog>
    </IfAllowed>
  );
}

/** A line above an archived thing. */
export function ArchivedNotice(props: { readonly archivedAt: string | null }): JSX.Element {
  return (
    <Show when={props.archivedAt}>
      {(at) => <Notice tone="info">Archived on {shownMoment(at())}. Restore it to change it.</Notice>}
    </Show>
  );
}

/** The filter of a list that leaves archived rows out. */
export const archivedFilter = {
  id: "is_archived",
  label: "Archived",
  options: [{ value: "true", label: "only archived" }],
} as const;
