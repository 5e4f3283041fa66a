import type { savedViewResponse, viewListResponse } from "@sluice/contracts/saved-views";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import type { JSX } from "solid-js";
import { apiGet, apiPost } from "../../api/client.ts";
import { type ViewStore, ViewStoreContext } from "../../kit/table-views.ts";

const path = "/backend/admin/view/list/";

/** Gives the tables of the admin area the views that the admin has saved, on whatever computer. */
export function SavedViews(props: { readonly children: JSX.Element }): JSX.Element {
  const client = useQueryClient();
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof viewListResponse>(path, { signal }),
  }));
  const refresh = async (): Promise<void> => await client.invalidateQueries({ queryKey: [path] });
  const store: ViewStore = {
    viewsOf: (list) =>
      query.data?.views
        .filter((view) => view.list === list)
        .map(({ name, query: kept, hidden_columns: hidden, is_default: isDefault }) => ({
          ...{ name, query: kept, hidden, isDefault },
        })),
    save: async (list, { name, query: kept, hidden, isDefault }) => {
      await apiPost<typeof savedViewResponse>("/backend/admin/view/save/", {
        ...{ list, name, query: kept, hidden_columns: hidden, is_default: isDefault },
      });
      await refresh();
    },
    remove: async (list, name) => {
      const found = query.data?.views.find((view) => view.list === list && view.name === name);
      if (found !== undefined) {
        await apiPost("/backend/admin/view/remove/", { view_id: found.view_id });
        await refresh();
      }
    },
  };
  return <ViewStoreContext.Provider value={store}>{props.children}</ViewStoreContext.Provider>;
}
