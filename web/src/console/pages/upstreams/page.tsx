import { useSearchParams } from "@solidjs/router";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { shownTokenPrice } from "../../../i18n/model-prices.ts";
import { ownerName } from "../../../i18n/owner-name.ts";
import { Card } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart, ShownAfter } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import type { Column } from "../../../table/model.ts";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { PlainTable } from "../../parts/plain-table.tsx";
import { createModelsQuery, type OfferedGroup, type OfferedModel } from "../../parts/queries.ts";
import { upstreamsArea } from "./messages/messages.ts";
import { ProfilesCard } from "./profiles-card.tsx";

/** The models of the user's keys; with `?profiles`, as the admin area links it, the login profiles for providers. */
export function Page(): JSX.Element {
  const texts = upstreamsArea.texts();
  const [search] = useSearchParams();
  const [group, setGroup] = createSignal<string | null>(null);
  const query = createModelsQuery(group);
  return (
    <>
      <ConsoleHead texts={texts} />
      <Card title={texts.models}>
        <Show when={query.data}>
          {(data) => <GroupChoice groups={data().groups} chosen={data().group} onChoose={setGroup} />}
        </Show>
        <Switch fallback={<LoadingPart size="page" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.models.length === 0}>
            <EmptyState title={texts.noModels}>{texts.noModelsText}</EmptyState>
          </Match>
          <Match when={query.data?.models}>
            {(models) => <PlainTable label={texts.model} columns={modelColumns()} rows={models()} />}
          </Match>
        </Switch>
      </Card>
      <Show when={search["profiles"] !== undefined}>
        <ShownAfter isReady={!query.isPending}>
          <ProfilesCard />
        </ShownAfter>
      </Show>
    </>
  );
}

/** The groups of the user with what they cost; nothing for a user of one group. */
function GroupChoice(props: {
  readonly groups: readonly OfferedGroup[];
  readonly chosen: string;
  readonly onChoose: (group: string) => void;
}): JSX.Element {
  const texts = upstreamsArea.texts();
  const chosen = (): OfferedGroup | undefined => props.groups.find(({ name }) => name === props.chosen);
  return (
    <Show when={props.groups.length > 1}>
      <SelectField
        label={texts.group}
        hint={[chosen()?.description ?? "", texts.groupPrices].join(" ").trim()}
        value={props.chosen}
        onChange={(event) => props.onChoose(event.currentTarget.value)}
      >
        <For each={props.groups}>
          {({ name, multiplier, ends_at: end }) => (
            <option value={name} selected={name === props.chosen}>
              {`${name}, × ${formats.decimal(multiplier)}${end === null ? "" : `, ${fill(texts.groupUntil, { date: formats.date(end) })}`}`}
            </option>
          )}
        </For>
      </SelectField>
    </Show>
  );
}

function modelColumns(): readonly Column<OfferedModel>[] {
  const texts = upstreamsArea.texts();
  return [
    { id: "model", label: texts.model, card: "title", cell: ({ name }) => <code>{name}</code> },
    { id: "owner", label: texts.owner, cell: ({ owned_by }) => <bdi>{ownerName(owned_by)}</bdi> },
    { id: "state", label: texts.state, card: "badge", cell: (model) => <ModelState model={model} /> },
    {
      id: "context",
      label: texts.context,
      align: "end",
      cell: (model) => fill(texts.tokens, { count: formats.number(model.context_tokens_max) }),
    },
    {
      id: "input",
      label: texts.input,
      align: "end",
      cell: (model) => shownTokenPrice(formats, model, model.input_usd_per_m),
    },
    {
      id: "output",
      label: texts.output,
      align: "end",
      cell: (model) => shownTokenPrice(formats, model, model.output_usd_per_m),
    },
    {
      id: "cache",
      label: texts.cache,
      align: "end",
      cell: (model) => (model.cache_read_usd_per_m === null ? "–" : formats.usd(model.cache_read_usd_per_m)),
    },
  ];
}

function ModelState(props: { readonly model: OfferedModel }): JSX.Element {
  const texts = upstreamsArea.texts();
  const { sunset_at: sunset, deprecated_at: deprecated } = props.model;
  if (sunset !== null) {
    return <Status tone="warn">{fill(texts.sunset, { date: formats.date(sunset) })}</Status>;
  }
  return deprecated === null ? (
    <Status tone="ok">{texts.offered}</Status>
  ) : (
    <Status tone="warn">{texts.deprecated}</Status>
  );
}
