import { type BulkActionName, bulkActions } from "@sluice/contracts/bulk-action-table";
import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { Dialog } from "../../kit/dialog.tsx";
import { LoadingPart } from "../../kit/states.tsx";
import { t } from "../translate.ts";
import { ActButton } from "./act-button.tsx";
import { bulkTexts } from "./bulk-texts.ts";
import { IfAllowed } from "./rights.tsx";

const BulkDialog = lazy(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog }));

type RowActions<Row> = {
  /** For the list, as `rowActions`. */
  readonly actions: (row: Row) => JSX.Element;
  /** Beside the list. */
  readonly dialog: () => JSX.Element;
};

/** The button of one row: what it does, and to what for those who do not see the row. */
export const nameInRow = (label: string, name: string): string => t("{name}: {value}", { name: label, value: name });

/**
 * A bulk action of a list as a button of each row, which asks the same questions about that row alone.
 * @param of what tells a row from others, to the backend and to people, and what can be done with it in its state
 */
export function createRowActions<Row>(of: {
  readonly path: string;
  readonly id: (row: Row) => string;
  readonly name: (row: Row) => string;
  readonly action: (row: Row) => BulkActionName | null;
}): RowActions<Row> {
  const [asked, setAsked] = createSignal<{ readonly name: BulkActionName; readonly id: string } | null>(null);
  const close = (): void => {
    const id = asked()?.id ?? "";
    setAsked(null);
    // The row may be another one now, after what was changed.
    queueMicrotask(() => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] .row-open`)?.focus());
  };
  return {
    actions: (row) => (
      <Show when={of.action(row)}>
        {(name) => (
          <IfAllowed operation="/backend/admin/bulk/run/">
            <ActButton
              operation={bulkActions[name()].operation}
              aria-label={nameInRow(bulkTexts[name()].label, of.name(row))}
              onClick={() => setAsked({ name: name(), id: of.id(row) })}
            >
              {bulkTexts[name()].label}
            </ActButton>
          </IfAllowed>
        )}
      </Show>
    ),
    dialog: () => (
      <Dialog
        isOpen={asked() !== null}
        onClose={close}
        title={((one) => (one === null ? "" : bulkTexts[one.name].label))(asked())}
        size="wide"
      >
        <Show when={asked()} keyed>
          {({ name, id }) => (
            <Suspense fallback={<LoadingPart />}>
              <BulkDialog path={of.path} chosen={[id]} rows={[id]} name={name} isOfOne onClose={close} onDone={close} />
            </Suspense>
          )}
        </Show>
      </Dialog>
    ),
  };
}
