import { createEffect } from "solid-js";

/** The document title, such as "Keys - Console - Sluice". */
export function usePageTitle(page: () => string, area: string): void {
  createEffect(() => {
    document.title = `${page()} - ${area} - Sluice`;
  });
}
