import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { LoadingPart, Notice } from "../../kit/states.tsx";
import { shownMoment } from "../shown.ts";
import { known, rich, t } from "../translate.ts";
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
        {isArchived() ? t("Restore") : t("Archive")}
      </Button>
      <Dialog
        isOpen={isOpen()}
        onClose={close}
        title={t("{act} the {kind}", { act: isArchived() ? t("Restore") : t("Archive"), kind: known(props.kind) })}
      >
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
      {(at) => (
        <Notice tone="info">{rich("Archived on {at}. Restore it to change it.", { at: shownMoment(at()) })}</Notice>
      )}
    </Show>
  );
}

/** The filter of a list that leaves archived rows out. */
export const archivedFilter = {
  id: "is_archived",
  label: t("Archived"),
  options: [{ value: "true", label: t("only archived") }],
} as const;
