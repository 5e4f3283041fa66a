import type { JSX } from "solid-js";
import { formats } from "../formats.ts";

/** An amount of a list, with cents; the exact one is shown on hover. */
export function Amount(props: { readonly quota: number | string }): JSX.Element {
  return <span title={formats.quota(props.quota)}>{formats.quotaRounded(props.quota)}</span>;
}
