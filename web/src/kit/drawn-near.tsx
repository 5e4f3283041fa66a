import { createMemo, createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { DrawnLater, type DrawnLaterProps } from "./drawn-later.tsx";
import { isReaderAwaited, whenNear } from "./when-near.ts";

/**
 * A `DrawnLater` for what is below the first screen of a phone: there it is drawn when it comes near the screen, or once the
 * reader does anything. Its fallback should have its heading, to be found by programs that read pages aloud.
 * @param props.isWanted it is drawn in any case, because the address leads to it
 */
export function DrawnNear(props: DrawnLaterProps & { readonly isWanted?: boolean }): JSX.Element {
  const [isNear, setIsNear] = createSignal(!isReaderAwaited());
  // What is drawn stays, also when the address leads elsewhere.
  const isDrawn = createMemo<boolean>((wasDrawn) => wasDrawn || isNear() || props.isWanted === true, false);
  let place: HTMLDivElement | undefined;
  onMount(() => {
    if (place !== undefined) {
      onCleanup(whenNear(place, () => setIsNear(true)));
    }
  });
  return (
    <Show
      when={isDrawn()}
      fallback={
        <div
          ref={(each) => {
            place = each;
          }}
        >
          {props.fallback}
        </div>
      }
    >
      <DrawnLater fallback={props.fallback}>{props.children}</DrawnLater>
    </Show>
  );
}
