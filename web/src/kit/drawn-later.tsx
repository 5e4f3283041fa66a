import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { whenIdle } from "./when-idle.ts";

/** False until the browser has painted what is there and has nothing more urgent to do. */
export function createDue(): () => boolean {
  const [isDue, setIsDue] = createSignal(false);
  onMount(() => {
    let cancel = (): void => undefined;
    // The second frame begins when the first is on the screen.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        cancel = whenIdle(() => setIsDue(true));
      });
    });
    onCleanup(() => {
      cancelAnimationFrame(frame);
      cancel();
    });
  });
  return isDue;
}

/**
 * A part of a page that is drawn in a task of its own, once what is above it can be seen: a page that is drawn in one task keeps
 * the reader's first press waiting.
 */
export function DrawnLater(props: { readonly children: JSX.Element; readonly fallback?: JSX.Element }): JSX.Element {
  const isDue = createDue();
  return (
    <Show when={isDue()} fallback={props.fallback}>
      {props.children}
    </Show>
  );
}
