import { type BulkActionName, bulkActionNames, bulkActions } from "@sluice/contracts/bulk-action-table";
import { namedRowsMax } from "@sluice/contracts/list-limits";
import { createSignal, For, type JSX, lazy, Show, Suspense } from "solid-js";
import { apiUrl } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { LoadingPart } from "../../kit/states.tsx";
import type { TableSelection } from "../../table/data-table.tsx";
import { t } from "../translate.ts";
import type { Chosen } from "./bulk-dialog.tsx";
import { bulkTexts } from "./bulk-texts.ts";
import { createMe, mayCall } from "./rights.tsx";

const runPath = "/backend/admin/bulk/run/";

const BulkDialog = lazy(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog }));

/**
 * What can be done with chosen rows of an admin list: its bulk actions, and a file of these rows.
 * @param list its name in the contracts
 * @param path with a trailing slash
 */
export function selectionOf(list: string, path: string): TableSelection {
  const names = bulkActionNames.filter((name) => bulkActions[name].list === list);
  return {
    max: namedRowsMax,
    actions: (chosen, clear) => <BulkButtons names={names} path={path} chosen={chosen()} onDone={clear} />,
  };
}

function BulkButtons(props: Chosen & { readonly names: readonly BulkActionName[] }): JSX.Element {
  const [opened, setOpened] = createSignal<BulkActionName | null>(null);
  const close = (): void => {
    setOpened(null);
  };
  const file = (format: "csv" | "json"): string =>
    apiUrl(`${props.path}export/`, { rows: props.chosen.join(","), format });
  const me = createMe();
  const allowed = (): readonly BulkActionName[] =>
    props.names.filter((name) => [runPath, bulkActions[name].operation].every((each) => mayCall(me.admin(), each)));
  const title = (): string => {
    const name = opened();
    return name === null ? "" : bulkTexts[name].label;
  };
  return (
    <>
      <For each={allowed()}>{(name) => <Button onClick={() => setOpened(name)}>{bulkTexts[name].label}</Button>}</For>
      <a class="button" href={file("csv")} download="">
        {t("Export CSV")}
      </a>
      <a class="button" href={file("json")} download="">
        {t("Export JSON")}
      </a>
      <Dialog isOpen={opened() !== null} onClose={close} title={title()} size="wide">
        <Show when={opened()} keyed>
          {(name) => (
            <Suspense fallback={<LoadingPart />}>
              <BulkDialog {...props} name={name} rows={[...props.chosen]} onClose={close} />
            </Suspense>
          )}
        </Show>
      </Dialog>
    </>
  );
}
