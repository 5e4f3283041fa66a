import { createUniqueId, type JSX } from "solid-js";
import { placeBeside } from "./float.ts";
import "./menu.css";
import "./tooltip.css";

/**
 * A note that appears on hover and on focus, and disappears on Escape. It is only a supplement: nothing essential may
 * be in it alone. The child gets the id of its description.
 */
export function Tooltip(props: {
  readonly text: string;
  readonly children: (describedBy: string) => JSX.Element;
}): JSX.Element {
  const id = createUniqueId();
  let anchor: HTMLSpanElement | undefined;
  let bubble: HTMLSpanElement | undefined;
  const show = (): void => {
    if (bubble !== undefined && anchor !== undefined && !bubble.matches(":popover-open")) {
      bubble.showPopover();
      placeBeside(anchor, bubble, "center");
    }
  };
  const hide = (): void => {
    if (bubble?.matches(":popover-open") === true) {
      bubble.hidePopover();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the child is what can be focused; the span only listens around it.
    <span
      ref={(each) => {
        anchor = each;
      }}
      class="tooltip-anchor"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocusIn={show}
      onFocusOut={hide}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          hide();
        }
      }}
    >
      {props.children(id)}
      <span
        ref={(each) => {
          bubble = each;
        }}
        id={id}
        class="float tooltip"
        role="tooltip"
        popover="manual"
      >
        {props.text}
      </span>
    </span>
  );
}

/** A word with its definition, which the keyboard reaches as well. */
export function Term(props: { readonly definition: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <Tooltip text={props.definition}>
      {(id) => (
        <button type="button" class="term" aria-describedby={id}>
          {props.children}
        </button>
      )}
    </Tooltip>
  );
}
