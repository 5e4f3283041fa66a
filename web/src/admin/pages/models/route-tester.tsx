import type { routeExplanation } from "@sluice/contracts/catalog-admin";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { formats } from "../../formats.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";

type Explanation = ResponseOf<typeof routeExplanation>;

const path = "/backend/admin/model/explain/";

const apis = [
  { id: "chat", label: t("Chat completions") },
  { id: "responses", label: t("Responses") },
  { id: "messages", label: t("Messages") },
  { id: "gemini", label: "Gemini" },
] as const;

const meanings: Readonly<Record<Explanation["outcome"], string>> = {
  reachable: t("A call with this name reaches a channel."),
  fallback_only: t("No channel can take the call. Another model answers, for keys that allow it."),
  group_unknown: t("This group does not exist."),
  mapping_disabled: t("The name is disabled in the compatibility map, and no model has it."),
  model_unknown: t("Neither a model nor the compatibility map has this name."),
  model_disabled: t("The model is disabled."),
  model_without_price: t("The model has no prices, so calls can't be charged."),
  no_channel: t("No channel can take the call."),
};

/** Which channel a call of a name would reach, by the rules that calls follow. Nothing is sent. */
export function RouteTester(): JSX.Element {
  const [params, setParams] = useSearchParams();
  const asked = () => ({
    name: typeof params["name"] === "string" ? params["name"] : "",
    group_name: typeof params["group"] === "string" ? params["group"] : "default",
    route: params["route"] === "messages" ? "messages" : "v1",
    api: apis.find(({ id }) => id === params["api"])?.id ?? "chat",
  });
  const [name, setName] = createSignal(asked().name);
  const [group, setGroup] = createSignal(asked().group_name);
  const [route, setRoute] = createSignal(asked().route);
  const [api, setApi] = createSignal<string>(asked().api);
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
          setParams({ name: name().trim(), group: group().trim(), route: route(), api: api() }, { scroll: false });
        }}
      >
        <TextField
          label={t("Name sent by a client")}
          data-search=""
          autocomplete="off"
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={t("Group")}
          autocomplete="off"
          value={group()}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        <SelectField label={t("Route")} value={route()} onChange={(event) => setRoute(event.currentTarget.value)}>
          <option value="v1" selected={route() === "v1"}>
            {t("/v1 (model names)")}
          </option>
          <option value="messages" selected={route() === "messages"}>
            {t("/msgcompat (mapped names too)")}
          </option>
        </SelectField>
        <Show when={route() === "v1"}>
          <SelectField label={t("Client's API")} value={api()} onChange={(event) => setApi(event.currentTarget.value)}>
            <For each={apis}>
              {({ id, label }) => (
                <option value={id} selected={api() === id}>
                  {label}
                </option>
              )}
            </For>
          </SelectField>
        </Show>
        <Button type="submit" variant="primary">
          {t("Explain")}
        </Button>
      </form>
      <Switch>
        <Match when={asked().name === ""}>
          <EmptyState title={t("Enter a name")}>
            {t("This shows which channels a call would reach, and why others would not be used.")}
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

function toneOf(outcome: Explanation["outcome"]): "ok" | "warn" | "bad" {
  return outcome === "reachable" ? "ok" : outcome === "fallback_only" ? "warn" : "bad";
}

function Explained(props: { readonly answer: Explanation }): JSX.Element {
  return (
    <Card title={props.answer.name}>
      <Status tone={toneOf(props.answer.outcome)}>{shownWord(props.answer.outcome)}</Status>
      <p>{meanings[props.answer.outcome]}</p>
      <Facts
        facts={[
          {
            name: props.answer.is_mapped ? t("Model, by the compatibility map") : t("Model"),
            value: <code>{props.answer.upstream_model ?? dash}</code>,
          },
          { name: t("Groups with access"), value: props.answer.reachable_groups.join(", ") || t("none") },
        ]}
      />
      <Show when={props.answer.candidates.length > 0}>
        <SimpleTable
          label={t("Channels")}
          rows={props.answer.candidates}
          columns={[
            {
              label: t("Channel"),
              cell: (row) => (
                <PageLink href={`/admin/upstreams/?q=${encodeURIComponent(row.channel_name)}&open=${row.channel_id}`}>
                  {row.channel_name}
                </PageLink>
              ),
            },
            {
              label: t("Position"),
              cell: (row) => (
                <Status tone={row.place === "first" ? "ok" : row.place === "fallback" ? "info" : "bad"}>
                  {shownWord(row.place)}
                </Status>
              ),
            },
            {
              label: t("Share"),
              cell: (row) => (row.share_percent === null ? dash : `${formats.number(row.share_percent)} %`),
              align: "end",
            },
            { label: t("Way"), cell: (row) => (row.way === null ? dash : shownWord(row.way)) },
            { label: t("Priority"), cell: (row) => formats.number(row.priority), align: "end" },
            { label: t("Weight"), cell: (row) => formats.number(row.weight), align: "end" },
            { label: t("Credential"), cell: (row) => (row.has_credential ? t("set") : t("missing")) },
            { label: t("Reason"), cell: (row) => row.reasons.map(shownWord).join(", ") || dash },
          ]}
        />
      </Show>
      <Show when={props.answer.fallbacks}>{(rule) => <FallbackTable rule={rule()} />}</Show>
    </Card>
  );
}

/** The models that may answer in place of this one, in their order. */
function FallbackTable(props: { readonly rule: NonNullable<Explanation["fallbacks"]> }): JSX.Element {
  const scope = () => (props.rule.is_of_group ? t("Rule of this group") : t("Rule for all groups"));
  const keys = () => (props.rule.is_for_every_key ? t("for every key") : t("for keys that allow it"));
  return (
    <>
      <h3>{t("If these channels fail")}</h3>
      <p class="muted">{`${scope()}, ${keys()}`}</p>
      <SimpleTable
        label={t("Other models that may answer")}
        rows={props.rule.models}
        columns={[
          { label: t("Model"), cell: (row) => <code>{row.name}</code> },
          { label: t("When"), cell: (row) => (row.is_larger ? t("The prompt is too long") : t("No channel answers")) },
          {
            label: t("Outcome"),
            cell: (row) => <Status tone={row.outcome === "reachable" ? "ok" : "bad"}>{shownWord(row.outcome)}</Status>,
          },
        ]}
      />
    </>
  );
}
