import { type JSX, Show, splitProps } from "solid-js";
import "./button.css";

type ButtonProps = JSX.ButtonHTMLAttributes<HTMLButtonElement> & {
  /** A view has at most one `primary` button. */
  readonly variant?: "plain" | "primary" | "danger" | "quiet";
  readonly shape?: "square" | undefined;
  readonly size?: "large" | undefined;
  /** Shows that it is busy; it stays in the tab order, and presses do nothing. */
  readonly isBusy?: boolean | undefined;
};

/** A button; it does not send a form unless its `type` says so. */
export function Button(props: ButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["variant", "shape", "size", "isBusy", "children", "onClick", "class"]);
  const press: JSX.EventHandler<HTMLButtonElement, MouseEvent> = (event) => {
    if (own.isBusy === true) {
      event.preventDefault();
      return;
    }
    if (typeof own.onClick === "function") {
      own.onClick(event);
    }
  };
  return (
    <button
      type="button"
      {...rest}
      class={own.class === undefined ? "button" : `button ${own.class}`}
      data-variant={own.variant}
      data-shape={own.shape}
      data-size={own.size}
      aria-disabled={own.isBusy === true ? "true" : undefined}
      onClick={press}
    >
      <Show when={own.isBusy}>
        <span class="spinner" aria-hidden="true" />
      </Show>
      {own.children}
    </button>
  );
}
