import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { ownAccessListOutput, ownReadingResponse } from "@sluice/contracts/own-payloads";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Card } from "../../../kit/card.tsx";
import { Switch as SwitchField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { Column } from "../../../table/model.ts";
import { acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import { PlainTable } from "../../parts/plain-table.tsx";
import { usageArea } from "./messages/messages.ts";
import { accessPath, createReadingQuery, type Reading, readingPath } from "./reading.ts";

type Access = ResponseOf<typeof ownAccessListOutput>["accesses"][number];

const accessesShown = 10;
const mayChange = acting === null || mayInOrganisation(acting.role, "contents");

/**
 * Whether the contents of calls can be read, and who has read which. Shown where the operator allows it, or while it is on: so it
 * can always be switched off.
 */
export function ReadingCard(): JSX.Element {
  const texts = usageArea.texts();
  const query = createReadingQuery();
  const shown = (): Reading | undefined => {
    const { reading } = query.data ?? {};
    return reading !== undefined && (reading.is_allowed || reading.since !== null) ? reading : undefined;
  };
  return (
    <Switch>
      <Match when={query.isError && query.data === undefined}>
        <Card title={texts.reading}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Card>
      </Match>
      <Match when={shown()}>
        {(reading) => (
          <Card title={texts.reading}>
            <div class="section-stack">
              <p class="muted">{fill(texts.readingText, { count: formats.number(reading().kept_days) })}</p>
              <Show when={mayChange}>
                <Switches reading={reading()} />
              </Show>
              <Show when={reading().since}>
                {(since) => <p class="muted">{fill(texts.readingSince, { time: formats.dateTime(since()) })}</p>}
              </Show>
            </div>
            <Accesses isOn={reading().since !== null} />
          </Card>
        )}
      </Match>
    </Switch>
  );
}

function Switches(props: { readonly reading: Reading }): JSX.Element {
  const texts = usageArea.texts();
  const client = useQueryClient();
  const save = createMutation(() => ({
    mutationFn: (wish: { readonly is_on: boolean; readonly by_members: boolean }) =>
      apiPost<typeof ownReadingResponse>(`${readingPath}save/`, wish),
    onSuccess: () => showToast(texts.labelsSaved),
    // After a failure, the switches show again what is true.
    onSettled: () => client.invalidateQueries({ queryKey: [readingPath] }),
  }));
  const isOn = (): boolean => props.reading.since !== null;
  return (
    <>
      <Show when={save.error}>{(error) => <ErrorState error={error()} />}</Show>
      <SwitchField
        label={texts.readingSwitch}
        checked={isOn()}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ is_on: event.currentTarget.checked, by_members: props.reading.by_members })}
      />
      <Show when={acting !== null && isOn()}>
        <SwitchField
          label={texts.readingMembers}
          checked={props.reading.by_members}
          disabled={save.isPending}
          onChange={(event) => save.mutate({ is_on: true, by_members: event.currentTarget.checked })}
        />
      </Show>
    </>
  );
}

/** Also after it was switched off, as long as somebody has read something. */
function Accesses(props: { readonly isOn: boolean }): JSX.Element {
  const texts = usageArea.texts();
  const query = createQuery(() => ({
    queryKey: [accessPath],
    queryFn: ({ signal }) =>
      apiGet<typeof ownAccessListOutput>(accessPath, { signal, query: { limit: String(accessesShown) } }),
  }));
  const columns: readonly Column<Access>[] = [
    { id: "at", label: texts.time, card: "title", cell: (row) => formats.dateTime(row.at) },
    { id: "who", label: texts.accessWho, cell: (row) => <bdi>{readerOf(row)}</bdi> },
    { id: "call", label: texts.accessCall, cell: (row) => <CallLink access={row} /> },
    { id: "ip", label: texts.accessFrom, cell: (row) => <bdi>{row.ip}</bdi> },
  ];
  return (
    <Switch fallback={<LoadingPart size="line" />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.accesses}>
        {(accesses) => (
          <Show
            when={accesses().length > 0}
            fallback={
              <Show when={props.isOn}>
                <p class="muted">{texts.accessesNone}</p>
              </Show>
            }
          >
            <h3>{texts.accesses}</h3>
            <PlainTable label={texts.accesses} columns={columns} rows={accesses()} />
          </Show>
        )}
      </Match>
    </Switch>
  );
}

function readerOf({ email, token_name: name }: Access): string {
  return name === null ? email : fill(usageArea.texts().accessToken, { email, name });
}

function CallLink(props: { readonly access: Access }): JSX.Element {
  return (
    <a href={`/console/usage/?${new URLSearchParams({ open: props.access.request_id })}`}>
      <code>{props.access.request_id.slice(0, 13)}…</code>
    </a>
  );
}
