import type { Component } from "solid-js";

type PageFile = { readonly Page: Component };

const files = import.meta.glob<PageFile>("./pages/*/page.tsx");

export async function loadPage({ page }: { readonly page: string }): Promise<PageFile> {
  const load = files[`./pages/${page}/page.tsx`];
  if (load === undefined) {
    throw new Error(page);
  }
  return await load();
}
