import { createEffect, type JSX, on } from "solid-js";
import styles from "./markup-frame.module.css";
import { showMarkupIn } from "./show-markup.ts";

/** An email or a text in its own frame, which runs no scripts and follows no links. */
export function MarkupFrame(props: { readonly title: string; readonly html: string }): JSX.Element {
  let frame: HTMLIFrameElement | undefined;
  const show = (): void => {
    if (frame?.contentDocument != null) {
      showMarkupIn(frame.contentDocument, props.html);
    }
  };
  createEffect(on(() => props.html, show));
  return (
    <iframe
      ref={(each) => {
        frame = each;
      }}
      class={styles["frame"]}
      title={props.title}
      sandbox="allow-same-origin"
      onLoad={show}
    />
  );
}
