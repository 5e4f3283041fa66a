import { createEffect } from "solid-js";
import { brandName } from "./brand-name.ts";

/** The document title, such as "Keys - Console - Sluice". */
export function usePageTitle(page: () => string, area: string): void {
  createEffect(() => {
    document.title = `${page()} - ${area} - ${brandName()}`;
  });
}
