import type { JSX } from "solid-js";
import { Status } from "../../kit/status.tsx";
import { shownWord } from "../shown.ts";
import { toneOf } from "../tones.ts";

/** A state of a row: its shape and its word. */
export function StateWord(props: { readonly state: string }): JSX.Element {
  return <Status tone={toneOf(props.state)}>{shownWord(props.state)}</Status>;
}
