import { createSignal, For, type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { CodeBlock } from "../../../kit/code.tsx";
import { TextArea } from "../../../kit/field.tsx";
import type { Step } from "./conversation.ts";
import { playgroundArea } from "./messages/messages.ts";
import styles from "./playground.module.css";

/** The tools that a model wants called, and what they returned: the person says what. */
export function ToolCallList(props: {
  readonly step: Step;
  /** Takes the results; undefined while the model still writes, and for earlier answers. */
  readonly onResults: ((results: readonly string[]) => void) | undefined;
}): JSX.Element {
  const texts = playgroundArea.texts();
  const [typed, setTyped] = createSignal<Readonly<Record<number, string>>>({});
  const send = (): void => props.onResults?.(props.step.toolCalls.map((_, index) => typed()[index] ?? ""));
  return (
    <form
      class={styles["tools"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <For each={props.step.toolCalls}>
        {(call, index) => (
          <div class={styles["tool"]}>
            <span>
              {texts.toolCall}: <code dir="ltr">{call.name}</code>
            </span>
            <CodeBlock label={call.name} code={indented(call.arguments)} />
            <Show
              when={props.step.results}
              fallback={
                <Show when={props.onResults}>
                  <TextArea
                    label={fill(texts.result, { name: call.name })}
                    dir="auto"
                    value={typed()[index()] ?? ""}
                    onInput={({ currentTarget: { value } }) => setTyped((all) => ({ ...all, [index()]: value }))}
                  />
                </Show>
              }
            >
              {(results) => (
                <>
                  <span>{fill(texts.result, { name: call.name })}</span>
                  <p class={styles["plain"]}>{results()[index()]}</p>
                </>
              )}
            </Show>
          </div>
        )}
      </For>
      <Show when={props.step.results === null && props.onResults !== undefined}>
        <div class="form-actions">
          <Button type="submit">{texts.giveResults}</Button>
        </div>
      </Show>
    </form>
  );
}

/** JSON on lines of its own; anything else as the model wrote it. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
