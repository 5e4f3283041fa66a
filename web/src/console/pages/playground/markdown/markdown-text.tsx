import type { Token } from "marked";
import { type Accessor, createEffect, createMemo, createSignal, type JSX, onCleanup, Show, untrack } from "solid-js";
import { Blocks } from "./blocks.tsx";
import { createGrowingTokens } from "./growing-tokens.ts";
import styles from "./markdown.module.css";
import { toTokens } from "./tokens.ts";

/** A longer text is shown as it is. */
const lengthMax = 200_000;
/** So is one with a longer block: the time to read a block grows with the square of its length. */
const blockLengthMax = 8_000;

const isReadable = (text: string): boolean =>
  text.length <= lengthMax && text.split("\n\n").every(({ length }) => length <= blockLengthMax);

/** The same of a text that was readable before it grew. */
const staysReadable = (text: string): boolean =>
  text.length <= lengthMax && text.length - text.lastIndexOf("\n\n") <= blockLengthMax;

type MarkdownProps = {
  readonly text: string;
  /** Whether the text is still arriving. */
  readonly isGrowing: boolean;
  readonly copyLabel: string;
};

/**
 * Shows Markdown that somebody else wrote. Elements are made from its tokens and never from HTML: what is HTML in it is shown as
 * text, links lead to web and mail addresses only, and pictures are links, because loading one would tell its server.
 */
export function MarkdownText(props: MarkdownProps): JSX.Element {
  const arriving = perFrame(() => props.text);
  const text = (): string => (props.isGrowing ? arriving() : props.text);
  const grow = createGrowingTokens();
  const tokens = createMemo<readonly Token[] | null>((before) => {
    if (props.isGrowing) {
      return before !== null && staysReadable(text()) ? grow(text()) : null;
    }
    return isReadable(text()) ? toTokens(text()) : null;
  }, []);
  return (
    <Show when={tokens()} fallback={<p class={styles["plain"]}>{text()}</p>}>
      {(blocks) => (
        <div class={styles["markdown"]} dir="auto">
          <Blocks tokens={blocks()} copyLabel={props.copyLabel} isGrowing={props.isGrowing} />
        </div>
      )}
    </Show>
  );
}

/** A text as it is at each frame of the browser: what arrives between two frames is shown at once. */
function perFrame(text: Accessor<string>): Accessor<string> {
  const [shown, setShown] = createSignal(untrack(text));
  let frame = 0;
  createEffect(() => {
    text();
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      setShown(untrack(text));
    });
  });
  onCleanup(() => cancelAnimationFrame(frame));
  return shown;
}
