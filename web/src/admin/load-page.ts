import type { Component } from "solid-js";

type PageFile = { readonly Page: Component };

const files = import.meta.glob<PageFile>("./pages/*/page.tsx");

export async function loadPage({ page }: { readonly page: string }): Promise<PageFile> {
  // The build refuses routes whose page does not exist.
  const load = files[`./pages/${page}/page.tsx`] as () => Promise<PageFile>;
  return await load();
}
