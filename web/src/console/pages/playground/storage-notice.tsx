import { type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Notice } from "../../../kit/states.tsx";
import { historyLimits } from "./history-limits.ts";
import { playgroundArea } from "./messages/messages.ts";
import { shownBytes } from "./shown-bytes.ts";
import type { StorageProblem } from "./storage-problem.ts";

/** Says why the conversation ends with the page; nothing if the browser keeps it. */
export function StorageNotice(props: { readonly problem: StorageProblem | null }): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <Show when={props.problem}>
      {(problem) => (
        <Notice tone="warn">{fill(texts.notStored[problem()], { size: shownBytes(historyLimits.bytes) })}</Notice>
      )}
    </Show>
  );
}
