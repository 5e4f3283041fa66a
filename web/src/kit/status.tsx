import type { JSX } from "solid-js";
import "./status.css";

export type Tone = "ok" | "warn" | "bad" | "info" | "neutral";

/** A state: a shape and a word in its colour, never the colour alone. */
export function Status(props: { readonly tone: Tone; readonly children: JSX.Element }): JSX.Element {
  return (
    <span class="status" data-tone={props.tone}>
      {props.children}
    </span>
  );
}

/** A short fact beside a name, without a tone. */
export function Badge(props: { readonly children: JSX.Element }): JSX.Element {
  return <span class="badge">{props.children}</span>;
}
