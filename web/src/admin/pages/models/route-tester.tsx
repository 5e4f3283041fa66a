import type { routeExplanation } from "@sluice/contracts/catalog-admin";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { formats } from "../../formats.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownWord } from "../../shown.ts";

type Explanation = ResponseOf<typeof routeExplanation>;

const path = "/backend/admin/model/explain/";

const meanings: Readonly<Record<Explanation["outcome"], string>> = {
  reachable: "A call with this name reaches a channel.",
  name_not_mapped: "The compatibility map does not contain this name.",
  mapping_disabled: "The name is disabled in the compatibility map.",
  model_unknown: "No model has this name.",
  model_disabled: "The model is disabled.",
  model_without_price: "The model has no prices, so calls can't be charged.",
  no_channel: "No channel can take the call.",
};

/** Which channel a call of a name would reach, by the rules that calls follow. Nothing is sent. */
export function RouteTester(): JSX.Element {
  const [params, setParams] = useSearchParams();
  const asked = () => ({
    name: typeof params["name"] === "string" ? params["name"] : "",
    group_name: typeof params["group"] === "string" ? params["group"] : "default",
    route: params["route"] === "messages" ? "messages" : "v1",
  });
  const [name, setName] = createSignal(asked().name);
  const [group, setGroup] = createSignal(asked().group_name);
  const [route, setRoute] = createSignal(asked().route);
  const query = createQuery(() => ({
    queryKey: [path, asked()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(path, { query: asked(), signal }) as Promise<{ readonly explanation: Explanation }>,
    enabled: asked().name !== "",
  }));
  return (
    <div class="section-stack">
      <form
        class="table-bar"
        onSubmit={(event) => {
          event.preventDefault();
          setParams({ name: name().trim(), group: group().trim(), route: route() }, { scroll: false });
        }}
      >
        <TextField
          label="Name sent by a client"
          data-search=""
          autocomplete="off"
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label="Group"
          autocomplete="off"
          value={group()}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        <SelectField label="Route" value={route()} onChange={(event) => setRoute(event.currentTarget.value)}>
          <option value="v1" selected={route() === "v1"}>
            /v1 (model names)
          </option>
          <option value="messages" selected={route() === "messages"}>
            Messages (mapped names)
          </option>
        </SelectField>
        <Button type="submit" variant="primary">
          Explain
        </Button>
      </form>
      <Switch>
        <Match when={asked().name === ""}>
          <EmptyState title="Enter a name">
            This shows which channels a call would reach, and why others would not be used.
          </EmptyState>
        </Match>
        <Match when={query.isError}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.isPending}>
          <LoadingPart />
        </Match>
        <Match when={query.data?.explanation}>{(answer) => <Explained answer={answer()} />}</Match>
      </Switch>
    </div>
  );
}

function Explained(props: { readonly answer: Explanation }): JSX.Element {
  return (
    <Card title={props.answer.name}>
      <Status tone={props.answer.outcome === "reachable" ? "ok" : "bad"}>{shownWord(props.answer.outcome)}</Status>
      <p>{meanings[props.answer.outcome]}</p>
      <Facts
        facts={[
          { name: "Model", value: <code>{props.answer.upstream_model ?? dash}</code> },
          { name: "Groups with access", value: props.answer.reachable_groups.join(", ") || "none" },
        ]}
      />
      <Show when={props.answer.candidates.length > 0}>
        <SimpleTable
          label="Channels"
          rows={props.answer.candidates}
          columns={[
            {
              label: "Channel",
              cell: (row) => (
                <a href={`/admin/upstreams/?q=${encodeURIComponent(row.channel_name)}&open=${row.channel_id}`}>
                  {row.channel_name}
                </a>
              ),
            },
            {
              label: "Place",
              cell: (row) => (
                <Status tone={row.place === "first" ? "ok" : row.place === "fallback" ? "info" : "bad"}>
                  {row.place}
                </Status>
              ),
            },
            {
              label: "Share",
              cell: (row) => (row.share_percent === null ? dash : `${formats.number(row.share_percent)} %`),
              align: "end",
            },
            { label: "Priority", cell: (row) => formats.number(row.priority), align: "end" },
            { label: "Weight", cell: (row) => formats.number(row.weight), align: "end" },
            { label: "Credential", cell: (row) => (row.has_credential ? "set" : "missing") },
            { label: "Reason", cell: (row) => row.reasons.map(shownWord).join(", ") || dash },
          ]}
        />
      </Show>
    </Card>
  );
}
