import { Router, useSearchParams } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import { createEffect, type JSX } from "solid-js";
import { createQueryClient } from "../api/query-client.ts";
import { Toaster } from "../kit/toast.tsx";
import { KitCharts } from "./kit-charts.tsx";
import { KitForms } from "./kit-forms.tsx";
import { KitParts } from "./kit-parts.tsx";
import { KitTable } from "./kit-table.tsx";
import "./kit-page.css";

/** Every part of the kit in its states: for designers and screenshots. Only in development. */
export function KitPage(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <Router base="/__kit">{[{ path: "/", component: Parts }]}</Router>
    </QueryClientProvider>
  );
}

/** `?dir=rtl` mirrors the page, so that both directions can be seen without texts in two languages. */
function Parts(): JSX.Element {
  const [params] = useSearchParams();
  createEffect(() => {
    document.documentElement.dir = params["dir"] === "rtl" ? "rtl" : "ltr";
  });
  return (
    <main class="kit-page">
      <h1>Kit</h1>
      <KitParts />
      <KitForms />
      <KitTable />
      <KitCharts />
      <Toaster />
    </main>
  );
}
