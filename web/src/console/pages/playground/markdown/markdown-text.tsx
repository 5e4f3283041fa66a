import { type JSX, Show } from "solid-js";
import { Blocks } from "./blocks.tsx";
import styles from "./markdown.module.css";
import { toTokens } from "./tokens.ts";

/** A longer text is shown as it is. */
const lengthMax = 200_000;
/** So is one with a longer block: the time to read a block grows with the square of its length. */
const blockLengthMax = 8_000;

const isReadable = (text: string): boolean =>
  text.length <= lengthMax && text.split("\n\n").every(({ length }) => length <= blockLengthMax);

/**
 * Shows Markdown that somebody else wrote. Elements are made from its tokens and never from HTML: what is HTML in it is shown as
 * text, links lead to web and mail addresses only, and pictures are links, because loading one would tell its server.
 */
export function MarkdownText(props: { readonly text: string; readonly copyLabel: string }): JSX.Element {
  return (
    <Show when={isReadable(props.text)} fallback={<p class={styles["plain"]}>{props.text}</p>}>
      <div class={styles["markdown"]} dir="auto">
        <Blocks tokens={toTokens(props.text)} copyLabel={props.copyLabel} />
      </div>
    </Show>
  );
}
