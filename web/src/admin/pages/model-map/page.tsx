import type { messagesModelListResponse } from "@sluice/contracts/messages-models";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { JsonValue } from "../../parts/json-value.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownMoment } from "../../shown.ts";
import { type MapEntry, MapForm, mapListPath } from "./map-form.tsx";

const columns: readonly Column<MapEntry>[] = [
  { id: "name", label: "Name clients use", cell: (row) => <code>{row.name}</code>, card: "title" },
  { id: "upstream_model", label: "Model", cell: (row) => <code>{row.upstream_model}</code> },
  {
    id: "is_in_catalog",
    label: "Also a model",
    cell: (row) => (row.is_in_catalog ? <Status tone="warn">in the catalog</Status> : "no"),
  },
  { id: "display_name", label: "Display name", cell: (row) => row.display_name },
  {
    id: "flags",
    label: "Flags",
    cell: (row) => Object.keys(row.flags).join(", ") || "all default",
  },
  {
    id: "is_enabled",
    label: "Status",
    cell: (row) => <Status tone={row.is_enabled ? "ok" : "neutral"}>{row.is_enabled ? "enabled" : "disabled"}</Status>,
    card: "badge",
  },
  { id: "released_at", label: "Release date", cell: (row) => formats.date(row.released_at) },
  { id: "version", label: "Version", cell: (row) => formats.number(row.version), align: "end" },
];

/** Names of the Messages route, and the models that serve them. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Compatibility map");
  const state = createTableState({ filters: ["q"] });
  const query = createQuery(() => ({
    queryKey: [mapListPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof messagesModelListResponse>(mapListPath, { signal }),
  }));
  const [edited, setEdited] = createSignal<{ readonly entry: MapEntry | null } | null>(null);
  const close = (): void => {
    setEdited(null);
  };
  // One response contains the whole map: it is short, and filtered here.
  const rows = (): readonly MapEntry[] | undefined => {
    const words = state.filter("q").toLowerCase();
    return query.data?.models.filter(
      ({ name, upstream_model }) => name.toLowerCase().includes(words) || upstream_model.toLowerCase().includes(words),
    );
  };
  return (
    <>
      <PageHead
        title="Compatibility map"
        text="Maps the names that clients of the Messages API use to models. Changes apply in every process at once."
        actions={
          <PageLink class="button" href="/admin/models/?tab=tester&route=messages">
            Test a name
          </PageLink>
        }
      />
      <DataTable
        name="admin-model-map"
        label="Compatibility map"
        columns={columns}
        state={state}
        rows={rows()}
        rowId={(row) => row.name}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        filters={[{ id: "q", label: "Name or model", isSearch: true }]}
        actions={
          <IfAllowed operation="/backend/admin/anthropic/model-map/save/">
            <Button variant="primary" onClick={() => setEdited({ entry: null })}>
              <Icon name="plus" />
              New name
            </Button>
          </IfAllowed>
        }
        empty={{
          title: "The map is empty",
          text: "Clients of the Messages API can't use any model until you add a name.",
        }}
        panel={{
          title: (row) => row.name,
          content: (row) => <EntryPanel entry={row} onEdit={() => setEdited({ entry: row })} />,
        }}
      />
      <Dialog
        isOpen={edited() !== null}
        onClose={close}
        title={edited()?.entry === null ? "New name" : `Edit ${edited()?.entry?.name ?? ""}`}
        size="wide"
      >
        <Show when={edited()} keyed>
          {({ entry }) => <MapForm entry={entry} onDone={close} />}
        </Show>
      </Dialog>
    </>
  );
}

function EntryPanel(props: { readonly entry: MapEntry; readonly onEdit: () => void }): JSX.Element {
  const { entry } = props;
  return (
    <>
      <div class="button-row">
        <IfAllowed operation="/backend/admin/anthropic/model-map/save/">
          <Button variant="primary" onClick={() => props.onEdit()}>
            Edit name
          </Button>
        </IfAllowed>
        <PageLink
          class="button"
          href={`/admin/models/?tab=tester&route=messages&name=${encodeURIComponent(entry.name)}`}
        >
          Test this name
        </PageLink>
        <PageLink
          class="button"
          href={`/admin/audit/?subject_kind=messages_model&subject_id=${encodeURIComponent(entry.name)}`}
        >
          Change history
        </PageLink>
      </div>
      <Show when={entry.is_in_catalog && entry.is_enabled && entry.upstream_model !== entry.name}>
        <Notice tone="warn">
          The catalog has a model {entry.name}, too. It is used itself where every group gets it from a channel that
          speaks the Messages API; otherwise this entry leads its name to {entry.upstream_model}.
        </Notice>
      </Show>
      <Facts
        facts={[
          { name: "Name", value: <CopyText text={entry.name} label="Copy the name" /> },
          { name: "Model", value: <code>{entry.upstream_model}</code> },
          { name: "Display name", value: entry.display_name },
          { name: "Status", value: entry.is_enabled ? "enabled" : "disabled" },
          { name: "Release date", value: shownMoment(entry.released_at) },
          { name: "Version", value: formats.number(entry.version) },
        ]}
      />
      <h3>Flags that differ from the default</h3>
      <JsonValue value={entry.flags} label="Flags" />
    </>
  );
}
