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
import { rich, t } from "../../translate.ts";
import { type MapEntry, MapForm, mapListPath } from "./map-form.tsx";

const columns: readonly Column<MapEntry>[] = [
  { id: "name", label: t("Name clients use"), cell: (row) => <code>{row.name}</code>, card: "title" },
  { id: "upstream_model", label: t("Model"), cell: (row) => <code>{row.upstream_model}</code> },
  {
    id: "is_in_catalog",
    label: t("Also a model"),
    cell: (row) => (row.is_in_catalog ? <Status tone="warn">{t("in the catalog")}</Status> : t("no")),
  },
  { id: "display_name", label: t("Display name"), cell: (row) => row.display_name },
  {
    id: "flags",
    label: t("Flags"),
    cell: (row) => Object.keys(row.flags).join(", ") || t("all default"),
  },
  {
    id: "is_enabled",
    label: t("Status"),
    cell: (row) => (
      <Status tone={row.is_enabled ? "ok" : "neutral"}>{row.is_enabled ? t("enabled") : t("disabled")}</Status>
    ),
    card: "badge",
  },
  { id: "released_at", label: t("Release date"), cell: (row) => formats.date(row.released_at) },
  { id: "version", label: t("Version"), cell: (row) => formats.number(row.version), align: "end" },
];

/** Names of the Messages route, and the models that serve them. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Compatibility map"));
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
        title={t("Compatibility map")}
        text={t(
          "Maps the names that clients of the Messages API use to models. Changes apply immediately in every process.",
        )}
        actions={
          <PageLink class="button" href="/admin/models/?tab=tester&route=messages">
            {t("Test a name")}
          </PageLink>
        }
      />
      <DataTable
        name="admin-model-map"
        label={t("Compatibility map")}
        columns={columns}
        state={state}
        rows={rows()}
        rowId={(row) => row.name}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        filters={[{ id: "q", label: t("Name or model"), isSearch: true }]}
        actions={
          <IfAllowed operation="/backend/admin/anthropic/model-map/save/">
            <Button variant="primary" onClick={() => setEdited({ entry: null })}>
              <Icon name="plus" />
              {t("New name")}
            </Button>
          </IfAllowed>
        }
        empty={{
          title: t("The map is empty"),
          text: t("Clients of the Messages API can't use any model until you add a name."),
        }}
        panel={{
          title: (row) => row.name,
          content: (row) => <EntryPanel entry={row} onEdit={() => setEdited({ entry: row })} />,
        }}
      />
      <Dialog
        isOpen={edited() !== null}
        onClose={close}
        title={edited()?.entry === null ? t("New name") : t("Edit {name}", { name: edited()?.entry?.name ?? "" })}
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
            {t("Edit name")}
          </Button>
        </IfAllowed>
        <PageLink
          class="button"
          href={`/admin/models/?tab=tester&route=messages&name=${encodeURIComponent(entry.name)}`}
        >
          {t("Test this name")}
        </PageLink>
        <PageLink
          class="button"
          href={`/admin/audit/?subject_kind=messages_model&subject_id=${encodeURIComponent(entry.name)}`}
        >
          {t("Change history")}
        </PageLink>
      </div>
      <Show when={entry.is_in_catalog && entry.is_enabled && entry.upstream_model !== entry.name}>
        <Notice tone="warn">
          {rich(
            "The catalog has a model {name}, too. That model is used where every group gets it from a channel that speaks the Messages API; otherwise this entry maps its name to {upstream_model}.",
            { name: entry.name, upstream_model: entry.upstream_model },
          )}
        </Notice>
      </Show>
      <Facts
        facts={[
          { name: t("Name"), value: <CopyText text={entry.name} label={t("Copy the name")} /> },
          { name: t("Model"), value: <code>{entry.upstream_model}</code> },
          { name: t("Display name"), value: entry.display_name },
          { name: t("Status"), value: entry.is_enabled ? t("enabled") : t("disabled") },
          { name: t("Release date"), value: shownMoment(entry.released_at) },
          { name: t("Version"), value: formats.number(entry.version) },
        ]}
      />
      <h3>{t("Flags that differ from the default")}</h3>
      <JsonValue value={entry.flags} label={t("Flags")} />
    </>
  );
}
