import { type Accessor, createMemo, createSignal, onCleanup, onMount } from "solid-js";

type OpenRowOptions<Row> = {
  readonly rows: () => readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  readonly openId: () => string;
};

/**
 * The row whose panel is open. While a dialog is open the row stays as it was, whatever is loaded: the panel would
 * start over with the new one, and take the dialog along with all its input.
 */
export function createOpenRow<Row>({ rows, rowId, openId }: OpenRowOptions<Row>): Accessor<Row | undefined> {
  const [closed, setClosed] = createSignal(0);
  const onClose = (): void => {
    setClosed((count) => count + 1);
  };
  // The `close` event does not bubble, so this listener captures it.
  onMount(() => document.addEventListener("close", onClose, true));
  onCleanup(() => document.removeEventListener("close", onClose, true));
  return createMemo<Row | undefined>((before) => {
    closed();
    const row = rows()?.find((each) => rowId(each) === openId());
    const isSame = before !== undefined && row !== undefined && rowId(before) === rowId(row);
    return isSame && document.querySelector("dialog[open]") !== null ? before : row;
  });
}
