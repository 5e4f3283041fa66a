import { modelKinds } from "@sluice/contracts/model-kinds";
import { useSearchParams } from "@solidjs/router";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { isPricedByToken } from "../../../i18n/model-prices.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Status } from "../../../kit/status.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { latePart } from "../../../shell/loaded-page.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { archivedFilter } from "../../parts/archive.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownCount, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { switchStatuses } from "../../values.ts";
import { type Model, modelsPath } from "./model.ts";

const Abilities = latePart(async () => (await import("./abilities.tsx")).Abilities);
const ModelPanel = latePart(async () => (await import("./model-panel.tsx")).ModelPanel);
const ProviderPrices = latePart(async () => (await import("./provider-prices.tsx")).ProviderPrices);
const RouteTester = latePart(async () => (await import("./route-tester.tsx")).RouteTester);
const ModelForm = latePart(async () => (await import("./model-form.tsx")).ModelForm);

/** A dash for a model that is paid by the call, the image or the second instead of by tokens. */
const price = (row: Model, value: string | null): string =>
  value === null || !isPricedByToken(row) ? dash : formats.usd(value);

const columns: readonly Column<Model>[] = [
  { id: "name", label: t("Model"), cell: (row) => <code>{row.name}</code>, card: "title", isSortable: true },
  { id: "owned_by", label: t("Owner"), cell: (row) => row.owned_by },
  { id: "kind", label: t("Kind"), cell: (row) => shownWord(row.kind) },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "input_usd_per_m", label: t("In, USD per M"), cell: (row) => price(row, row.input_usd_per_m), align: "end" },
  { id: "output_usd_per_m", label: t("Out, USD per M"), cell: (row) => price(row, row.output_usd_per_m), align: "end" },
  {
    id: "cache_read_usd_per_m",
    label: t("Cached, USD per M"),
    cell: (row) => price(row, row.cache_read_usd_per_m),
    align: "end",
  },
  {
    id: "channels",
    label: t("Channels"),
    cell: (row) =>
      BigInt(row.channels) > 0n ? shownCount(row.channels) : <Status tone="bad">{t("no channel")}</Status>,
    align: "end",
  },
  { id: "groups", label: t("Groups"), cell: (row) => row.groups.join(", ") || dash },
  { id: "aliases", label: t("Names in the map"), cell: (row) => row.aliases.join(", ") || dash, isHiddenAtFirst: true },
  {
    id: "context_tokens_max",
    label: t("Context"),
    cell: (row) => formats.compact(row.context_tokens_max),
    align: "end",
  },
  {
    id: "created_at",
    label: t("Created"),
    cell: (row) => listMoment(row.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const tabs = [
  { id: "models", label: t("Models and prices") },
  { id: "prices", label: t("List prices") },
  { id: "abilities", label: t("Abilities") },
  { id: "tester", label: t("Test a name") },
] as const;

const selection = selectionOf("models", modelsPath);

/** Models with their prices, the channels that serve them, and the routes of names. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Models"));
  const [params, setParams] = useSearchParams();
  const tab = () => tabs.find(({ id }) => id === params["tab"])?.id ?? "models";
  return (
    <>
      <PageHead
        title={t("Models")}
        text={t(
          "Prices are in US dollars per million tokens. A changed price applies to calls that begin after the change.",
        )}
      />
      <Tabs
        label={t("Models")}
        tabs={tabs}
        selected={tab()}
        onSelect={(id) => setParams({ tab: id, open: null, cursor: null, sort: null }, { scroll: false })}
      >
        <Switch fallback={<Models />}>
          <Match when={tab() === "prices"}>
            <ProviderPrices />
          </Match>
          <Match when={tab() === "abilities"}>
            <Abilities />
          </Match>
          <Match when={tab() === "tester"}>
            <RouteTester />
          </Match>
        </Switch>
      </Tabs>
    </>
  );
}

function Models(): JSX.Element {
  const state = createTableState({ filters: ["q", "kind", "status", "is_served", "is_archived"] });
  const list = createListQuery<Model>({ path: modelsPath, state });
  const [edited, setEdited] = createSignal<{ readonly model: Model | null } | null>(null);
  onAskedToCreate(() => setEdited({ model: null }));
  const close = (): void => {
    setEdited(null);
  };
  return (
    <>
      <DataTable
        {...list}
        name="admin-models"
        label={t("Models")}
        columns={columns}
        state={state}
        rowId={(row) => row.name}
        selection={selection}
        filters={[
          { id: "q", label: t("Name starts with"), isSearch: true },
          { id: "kind", label: t("Kind"), options: optionsOf(modelKinds) },
          { id: "status", label: t("Status"), options: optionsOf(switchStatuses) },
          archivedFilter,
          {
            id: "is_served",
            label: t("Served"),
            options: [
              { value: "true", label: t("by a channel") },
              { value: "false", label: t("by none") },
            ],
          },
        ]}
        actions={
          <IfAllowed operation="/backend/admin/model/save/">
            <Button variant="primary" onClick={() => setEdited({ model: null })}>
              <Icon name="plus" />
              {t("New model")}
            </Button>
          </IfAllowed>
        }
        empty={{ title: t("No models yet"), text: t("A model needs prices and a channel that serves it.") }}
        panel={{
          title: (row) => row.display_name,
          content: (row) => <ModelPanel model={row} onEdit={() => setEdited({ model: row })} />,
        }}
      />
      <Dialog
        isOpen={edited() !== null}
        onClose={close}
        title={edited()?.model === null ? t("New model") : t("Edit {name}", { name: edited()?.model?.name ?? "" })}
        size="wide"
      >
        <Show when={edited()} keyed>
          {({ model }) => <ModelForm model={model} onDone={close} />}
        </Show>
      </Dialog>
    </>
  );
}
