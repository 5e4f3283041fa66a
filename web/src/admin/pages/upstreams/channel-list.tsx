import { type JSX, lazy, Suspense } from "solid-js";
import { LoadingPart } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { archivedFilter } from "../../parts/archive.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { createRowActions } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash } from "../../shown.ts";
import { t } from "../../translate.ts";
import { switchStatuses } from "../../values.ts";
import { type Channel, channelPath, firstAddress } from "./channel.ts";
import { ChannelTransfer } from "./channel-transfer.tsx";

const ChannelPanel = lazy(async () => ({ default: (await import("./channel-panel.tsx")).ChannelPanel }));

const limit = (value: number | null): string => (value === null ? t("none") : formats.number(value));

const columns: readonly Column<Channel>[] = [
  { id: "name", label: t("Name"), cell: (channel) => channel.name, card: "title", isSortable: true },
  { id: "channel_id", label: t("ID"), cell: (channel) => String(channel.channel_id), align: "end" },
  { id: "status", label: t("Status"), cell: (channel) => <StateWord state={channel.status} />, card: "badge" },
  { id: "upstream", label: t("Address"), cell: (channel) => <code>{firstAddress(channel)}</code> },
  { id: "has_credential", label: t("Credential"), cell: (channel) => (channel.has_credential ? t("kept") : t("none")) },
  { id: "exit_node_code", label: t("Exit node"), cell: (channel) => channel.exit_node_code ?? dash },
  { id: "abilities", label: t("Models"), cell: (channel) => formats.number(channel.abilities.length), align: "end" },
  { id: "concurrency_max", label: t("Concurrent"), cell: (channel) => limit(channel.concurrency_max), align: "end" },
  {
    id: "requests_per_minute",
    label: t("Per minute"),
    cell: (channel) => limit(channel.requests_per_minute),
    align: "end",
  },
  {
    id: "created_at",
    label: t("Created"),
    cell: (channel) => listMoment(channel.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
  { id: "updated_at", label: t("Updated"), cell: (channel) => listMoment(channel.updated_at), isHiddenAtFirst: true },
];

function addLink(text: string): JSX.Element {
  return (
    <PageLink class="button" data-variant="primary" href="/admin/upstreams/add/">
      {text}
    </PageLink>
  );
}

const selection = selectionOf("channels", channelPath);

/** Every channel, with what it serves. */
export function ChannelList(): JSX.Element {
  const state = createTableState({ filters: ["q", "model", "group_name", "status", "is_archived"] });
  const list = createListQuery<Channel>({ path: channelPath, state });
  const ofRow = createRowActions<Channel>({
    path: channelPath,
    id: (channel) => String(channel.channel_id),
    name: (channel) => channel.name,
    action: ({ status }) => (status === "disabled" ? "channels.enable" : "channels.disable"),
  });
  return (
    <>
      <DataTable
        {...list}
        name="admin-channels"
        label={t("Channels")}
        columns={columns}
        state={state}
        rowId={(channel) => String(channel.channel_id)}
        selection={selection}
        rowActions={ofRow.actions}
        filters={[
          { id: "q", label: t("Name starts with"), isSearch: true },
          { id: "model", label: t("Model"), isSearch: true },
          { id: "group_name", label: t("Group"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(switchStatuses) },
          archivedFilter,
        ]}
        empty={{
          title: t("No channels yet"),
          text: t("Without a channel, no calls can be served. Add one, then choose its models."),
          actions: addLink(t("Add the first provider")),
        }}
        actions={
          <>
            <ChannelTransfer />
            {addLink(t("Add a provider"))}
          </>
        }
        panel={{
          title: (channel) => channel.name,
          content: (channel) => (
            <Suspense fallback={<LoadingPart />}>
              <ChannelPanel channel={channel} />
            </Suspense>
          ),
        }}
      />
      {ofRow.dialog()}
    </>
  );
}
