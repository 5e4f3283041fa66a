import { createEffect } from "solid-js";

/** Names the document like "Keys - Console - Sluice". */
export function usePageTitle(page: () => string, area: string): void {
  createEffect(() => {
    document.title = `${page()} - ${area} - Sluice`;
  });
}
