import type { JSX } from "solid-js";
import "./icon.css";

/** Stroked paths on a grid of 16. */
const shapes = {
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  download: "M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7l3 3",
  up: "M4 10l4-4 4 4",
  sort: "M5 6.5l3-3 3 3M5 9.5l3 3 3-3",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.3v.01",
  external: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  plus: "M8 3v10M3 8h10",
  home: "M2.5 7.5 8 3l5.5 4.5V13H2.5z",
  filter: "M2.5 4.5h11M4.5 8h7M6.5 11.5h3",
  key: "M10 8.5A3 3 0 1 0 7.5 6M7.9 8.1 3 13M4.5 11.5 6 13",
  chart: "M2.5 13.5h11M4.5 11V7.5M8 11V4M11.5 11V6",
  card: "M2 4h12v8.5H2zM2 7h12",
  user: "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.8 13.5c.6-2.3 2.6-3.5 5.2-3.5s4.6 1.2 5.2 3.5",
  plug: "M5.5 2.5v3M10.5 2.5v3M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2",
  chat: "M2.5 3h11v8H7l-3 2.5V11H2.5z",
  gauge: "M2.5 12a6 6 0 1 1 11 0M8 10l2.5-4",
  users:
    "M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.4-2.2 2-3.3 4.2-3.3s3.8 1.1 4.2 3.3M10.5 3a2.3 2.3 0 0 1 0 4.4M11.8 9.9c1.3.4 2.1 1.4 2.4 3.1",
  receipt: "M3.5 2.5h9v11L10 12l-2 1.5L6 12l-2.5 1.5zM6 6h4M6 8.7h4",
  layers: "M8 2.5 14 6 8 9.5 2 6zM2.5 9.2 8 12.5l5.5-3.3",
  box: "M2.5 5 8 2l5.5 3v6L8 14l-5.5-3zM2.5 5 8 8l5.5-3M8 8v6",
  lock: "M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  sliders: "M3 4.5h6M12 4.5h1M10.5 3v3M3 11.5h1M7 11.5h6M5.5 10v3",
  mail: "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
  globe: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z",
  trace: "M2.5 4h6M5.5 8h6M8.5 12h5",
  map: "M2.5 4 6 2.5l4 1.5 3.5-1.5v10L10 14l-4-1.5L2.5 14zM6 2.5v10M10 4v10",
  logout: "M6 3H3v10h3M7 8h6.5M11 5.5 13.5 8 11 10.5",
} as const;

export type IconName = keyof typeof shapes;

/** Beside a word it is hidden from screen readers; alone, its button must be labelled. */
export function Icon(props: { readonly name: IconName; readonly isMirrored?: boolean }): JSX.Element {
  return (
    <svg
      class="icon"
      data-mirrored={props.isMirrored}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[props.name]} />
    </svg>
  );
}
