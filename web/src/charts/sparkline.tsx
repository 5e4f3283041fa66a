import type { JSX } from "solid-js";
import { sparklineHeight, sparklinePath, sparklineWidth } from "./sparkline-path.ts";
import "./chart.css";

/** A trend without axes, beside its figure; the text describes it for screen readers. */
export function Sparkline(props: { readonly values: readonly (number | null)[]; readonly text: string }): JSX.Element {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${sparklineWidth} ${sparklineHeight}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={props.text}
    >
      <path
        d={sparklinePath(props.values)}
        fill="none"
        stroke="var(--series-1)"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
