import type { JSX } from "solid-js";
import "./chart.css";

const width = 96;
const height = 20;

/** The path of the values, each a step further right; a gap begins a new line. */
export function sparklinePath(values: readonly (number | null)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0), 0);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const y = largest === 0 ? height - 1 : height - 1 - (value / largest) * (height - 2);
      const command = `${isDrawing ? "L" : "M"}${Math.round(index * step * 10) / 10} ${Math.round(y * 10) / 10}`;
      isDrawing = true;
      return command;
    })
    .join("");
}

/** A course without axes, beside the figure that it belongs to; the text says it for those who do not see it. */
export function Sparkline(props: { readonly values: readonly (number | null)[]; readonly text: string }): JSX.Element {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
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
