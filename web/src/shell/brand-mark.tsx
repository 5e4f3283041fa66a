import type { JSX } from "solid-js";

/** The logo: a gate that lets a measured stream through. */
export function BrandMark(): JSX.Element {
  return (
    <svg class="brand-mark" viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
      <path d="M2 2v14M16 2v14" />
      <path d="M5.5 5.5h7" />
      <path d="M5.5 9h4.5" />
      <path d="M5.5 12.5h2" />
    </svg>
  );
}
