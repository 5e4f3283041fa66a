import { createSignal, type JSX, onMount, Show } from "solid-js";
import { whenIdle } from "./when-idle.ts";

/** False until the browser has painted what is there and has nothing more urgent to do. */
export function createDue(): () => boolean {
  const [isDue, setIsDue] = createSignal(false);
  // The second frame begins when the first is on the screen. Nothing looks at the signal of a part that is gone by then.
  onMount(() => {
    requestAnimationFrame(() => requestAnimationFrame(() => whenIdle(() => setIsDue(true))));
  });
  return isDue;
}

export type DrawnLaterProps = { readonly children: JSX.Element; readonly fallback?: JSX.Element };

/**
 * A part of a page that is drawn in a task of its own, once what is above it can be seen: a page that is drawn in one task keeps
 * the reader's first press waiting.
 */
export function DrawnLater(props: DrawnLaterProps): JSX.Element {
  const isDue = createDue();
  return (
    <Show when={isDue()} fallback={props.fallback}>
      {props.children}
    </Show>
  );
}
