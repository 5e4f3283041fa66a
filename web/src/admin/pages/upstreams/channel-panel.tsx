import type { channelTest } from "@sluice/contracts/catalog-admin";
import { findPreset } from "@sluice/contracts/provider-presets";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { ArchiveButton, ArchivedNotice } from "../../parts/archive.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownMoment, shownMs, shownText } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { AbilityForm } from "./ability-form.tsx";
import { addressesOf, type Channel, channelPath } from "./channel.ts";
import { ChannelForm } from "./channel-form.tsx";
import { CredentialList } from "./credential-list.tsx";

type Ability = Channel["abilities"][number];
type TestResponse = { readonly test: ResponseOf<typeof channelTest> };

/** One channel: its settings, what it serves, and the possible actions. */
export function ChannelPanel(props: { readonly channel: Channel }): JSX.Element {
  const [open, setOpen] = createSignal<"edit" | "copy" | "ability" | "disable" | null>(null);
  const close = (): void => {
    setOpen(null);
  };
  const action = createAction(channelPath);
  const switchTo = async (word: "enable" | "disable"): Promise<string> => {
    await apiPost(`/backend/admin/channel/${word}/`, { channel_ids: [props.channel.channel_id] });
    return word === "enable"
      ? t("{name} was enabled", { name: props.channel.name })
      : t("{name} was disabled", { name: props.channel.name });
  };
  const isNode = (): boolean => props.channel.exit_node_code !== null;
  return (
    <>
      <Show when={props.channel.exit_node_code}>
        {(code) => (
          <Notice tone="info">
            <span>
              {rich("This channel is managed by exit node {code}. Change it there.", {
                code: <PageLink href={`/admin/exit-nodes/${code()}/`}>{code()}</PageLink>,
              })}
            </span>
          </Notice>
        )}
      </Show>
      <ArchivedNotice archivedAt={props.channel.archived_at} />
      <Show when={props.channel.archived_at !== null}>
        <div class="button-row">
          <Archiving channel={props.channel} />
        </div>
      </Show>
      <Show when={!isNode() && props.channel.archived_at === null}>
        <div class="button-row">
          <ActButton operation="/backend/admin/channel/save/" onClick={() => setOpen("edit")}>
            {t("Edit channel")}
          </ActButton>
          <PageLink
            class="button"
            href={`/admin/upstreams/add/?channel=${props.channel.channel_id}&name=${encodeURIComponent(props.channel.name)}`}
          >
            {t("Add models")}
          </PageLink>
          <ActButton operation="/backend/admin/ability/save/" onClick={() => setOpen("ability")}>
            {t("Serve a model")}
          </ActButton>
          <ActButton operation="/backend/admin/channel/save/" onClick={() => setOpen("copy")}>
            {t("Copy")}
          </ActButton>
          <Show
            when={props.channel.status === "enabled"}
            fallback={
              <ActButton
                operation="/backend/admin/channel/enable/"
                isBusy={action.isBusy()}
                onClick={() => void action.run(() => switchTo("enable"))}
              >
                {t("Enable")}
              </ActButton>
            }
          >
            <ActButton operation="/backend/admin/channel/disable/" variant="danger" onClick={() => setOpen("disable")}>
              {t("Disable")}
            </ActButton>
          </Show>
          <Archiving channel={props.channel} />
        </div>
      </Show>
      <ChannelFacts channel={props.channel} />
      <CredentialList channel={props.channel} />
      <Show when={props.channel.archived_at === null}>
        <IfAllowed operation="/backend/admin/channel/test/">
          <TestCall channel={props.channel} />
        </IfAllowed>
      </Show>
      <Dialog isOpen={open() === "edit"} onClose={close} title={t("Edit the channel")} size="wide">
        <ChannelForm channel={props.channel} onDone={close} />
      </Dialog>
      <Dialog isOpen={open() === "copy"} onClose={close} title={t("Copy the channel")} size="wide">
        <ChannelForm channel={props.channel} isCopy={true} onDone={close} />
      </Dialog>
      <Dialog isOpen={open() === "ability"} onClose={close} title={t("Add a model")}>
        <AbilityForm channelId={props.channel.channel_id} onDone={close} />
      </Dialog>
      <ConfirmDialog
        isOpen={open() === "disable"}
        onClose={close}
        title={t("Disable the channel")}
        action={t("Disable")}
        typed={{ word: props.channel.name, label: t("Type {name}", { name: props.channel.name }) }}
        isBusy={action.isBusy()}
        onConfirm={() => void action.run(() => switchTo("disable")).then(close)}
      >
        {t("Running calls continue. Models that no other channel serves are refused from now on.")}
      </ConfirmDialog>
    </>
  );
}

function Archiving(props: { readonly channel: Channel }): JSX.Element {
  const { channel_id: id, name, archived_at: archivedAt } = props.channel;
  return <ArchiveButton kind="channel" id={String(id)} name={name} archivedAt={archivedAt} paths={[channelPath]} />;
}

const abilityColumns = [
  { label: t("Model"), cell: (row: Ability) => <code>{row.model}</code> },
  {
    label: t("Provider's name"),
    cell: (row: Ability) => (row.upstream_model === null ? dash : <code>{row.upstream_model}</code>),
  },
  { label: t("Group"), cell: (row: Ability) => row.group_name },
  { label: t("Priority"), cell: (row: Ability) => formats.number(row.priority), align: "end" as const },
  { label: t("Weight"), cell: (row: Ability) => formats.number(row.weight), align: "end" as const },
  { label: t("State"), cell: (row: Ability) => <StateWord state={row.is_enabled ? "enabled" : "disabled"} /> },
];

function ChannelFacts(props: { readonly channel: Channel }): JSX.Element {
  const channel = (): Channel => props.channel;
  const limit = (value: number | null): string =>
    value === null ? t("no limit") : t("{count} calls", { count: formats.number(value) });
  return (
    <>
      <Facts
        facts={[
          { name: t("ID"), value: String(channel().channel_id) },
          { name: t("Status"), value: <StateWord state={channel().status} /> },
          { name: t("Provider"), value: findPreset(channel().upstream.preset)?.name ?? t("Custom") },
          ...addressesOf(channel()).map(({ label, address }) => ({ name: label, value: <code>{address}</code> })),
          { name: t("Concurrent calls"), value: limit(channel().concurrency_max) },
          { name: t("Calls per minute"), value: limit(channel().requests_per_minute) },
          { name: t("First byte"), value: shownTimeout(channel().first_byte_timeout_ms) },
          { name: t("Silence"), value: shownTimeout(channel().idle_timeout_ms) },
          { name: t("Periodic tests"), value: shownProbes(channel()) },
          { name: t("Passed through"), value: shownPaths(channel().pass_through_paths) },
          { name: t("Created"), value: shownMoment(channel().created_at) },
          { name: t("Updated"), value: shownMoment(channel().updated_at) },
        ]}
      />
      <h3>{t("Models")}</h3>
      <Show
        when={channel().abilities.length > 0}
        fallback={<p class="muted">{t("It serves no models yet, so it gets no calls.")}</p>}
      >
        <SimpleTable label={t("Models of the channel")} rows={channel().abilities} columns={abilityColumns} />
      </Show>
    </>
  );
}

function shownPaths(paths: readonly string[]): JSX.Element {
  return paths.length === 0 ? t("nothing") : <bdi>{paths.join(", ")}</bdi>;
}

function shownProbes({ probe_minutes: minutes, probe_model: model }: Channel): JSX.Element {
  if (minutes === null) {
    return t("none");
  }
  const every = minutes === 1 ? t("every minute") : t("every {minutes} minutes", { minutes: formats.number(minutes) });
  return model === null ? every : <bdi>{t("{every}, with {model}", { every, model })}</bdi>;
}

function shownTimeout(value: number | null): string {
  return value === null ? t("service default") : shownMs(value);
}

/** A short call through the channel, charged to nobody. */
function TestCall(props: { readonly channel: Channel }): JSX.Element {
  const [model, setModel] = createSignal("");
  const [credential, setCredential] = createSignal("");
  const credentials = () => [
    { value: "", label: t("the first that is accepted") },
    ...props.channel.credentials.map(({ credential_id: id, label }) => ({ value: String(id), label })),
  ];
  const [result, setResult] = createSignal<TestResponse["test"] | null>(null);
  const action = createAction();
  const test = async (): Promise<string> => {
    setResult(null);
    const answer = (await apiPost("/backend/admin/channel/test/", {
      channel_id: props.channel.channel_id,
      ...(model().trim() === "" ? {} : { model: model().trim() }),
      ...(credential() === "" ? {} : { credential_id: Number(credential()) }),
    })) as TestResponse;
    setResult(answer.test);
    return answer.test.is_ok
      ? t("{model} answered", { model: answer.test.model })
      : t("{model} failed", { model: answer.test.model });
  };
  return (
    <>
      <h3>{t("Test call")}</h3>
      <TextField
        label={t("Model")}
        optional={t("its first model")}
        spellcheck={false}
        value={model()}
        onInput={(event) => setModel(event.currentTarget.value)}
      />
      <Show when={props.channel.credentials.length > 1}>
        <ChoiceField
          label={t("Credential")}
          name="credential_id"
          options={credentials()}
          value={credential()}
          onInput={(event) => setCredential(event.currentTarget.value)}
        />
      </Show>
      <div class="button-row">
        <Button isBusy={action.isBusy()} onClick={() => void action.run(test)}>
          {t("Send test call")}
        </Button>
      </div>
      <Show when={result()}>
        {(seen) => (
          <Facts
            facts={[
              { name: t("Result"), value: <StateWord state={seen().is_ok ? "success" : "failed"} /> },
              { name: t("Credential"), value: <bdi>{shownText(seen().credential)}</bdi> },
              { name: t("Took"), value: shownMs(seen().latency_ms) },
              { name: "HTTP", value: shownText(seen().http_status?.toString() ?? null) },
              { name: t("Error"), value: shownText(seen().error) },
              { name: t("Model"), value: shownText(seen().answered_model) },
              { name: t("Response"), value: <bdi>{shownText(seen().text)}</bdi> },
              {
                name: t("Tokens"),
                value: t("{input_tokens} in, {output_tokens} out", {
                  input_tokens: seen().input_tokens ?? "–",
                  output_tokens: seen().output_tokens ?? "–",
                }),
              },
            ]}
          />
        )}
      </Show>
    </>
  );
}
