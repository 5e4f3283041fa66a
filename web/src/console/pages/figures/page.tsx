import { For, type JSX } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { ConsoleHead } from "../../console-head.tsx";
import styles from "./figures.module.css";
import { figuresArea } from "./messages/messages.ts";

/** What each figure counts; other pages link to its definition. */
export function Page(): JSX.Element {
  const texts = figuresArea.texts();
  return (
    <>
      <ConsoleHead texts={texts} />
      <Card>
        <dl class={styles["figures"]}>
          <For each={Object.entries(texts.entries)}>
            {([id, { name, text }]) => (
              <div id={id}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            )}
          </For>
        </dl>
      </Card>
    </>
  );
}
