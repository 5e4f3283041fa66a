import type { incidentListResponse, savedIncidentResponse } from "@sluice/contracts/status";
import { incidentImpacts, incidentStates } from "@sluice/contracts/status-states";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Badge } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField, optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { createMe, IfReads } from "../../parts/rights.tsx";
import { createSettings } from "../../parts/second-person.tsx";
import { SettingForm } from "../../parts/setting-form.tsx";
import { shownMoment, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { titleOf } from "../settings/setting-titles.ts";

type Incident = ResponseOf<typeof incidentListResponse>["incidents"][number];

const path = "/backend/admin/incident/list/";
const settingNames = ["status.page", "status.success", "status.latency", "status.incidents"];

/** What the public status page shows, and the incidents on it. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Status page"));
  const [edited, setEdited] = createSignal<Incident | "new" | null>(null);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof incidentListResponse>(path, { signal }),
  }));
  return (
    <>
      <PageHead
        title={t("Status page")}
        text={t("What customers see at /status/: the state of the models, and the incidents that you post.")}
      />
      <Card
        title={t("Incidents")}
        actions={
          <ActButton operation="/backend/admin/incident/create/" onClick={() => setEdited("new")}>
            {t("Post an incident")}
          </ActButton>
        }
      >
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.incidents.length === 0}>
            <EmptyState title={t("No incidents yet")}>
              {t("Post one when customers should know of a fault or maintenance.")}
            </EmptyState>
          </Match>
          <Match when={query.data}>
            {(data) => (
              <ul class="plain-list">
                <For each={data().incidents}>
                  {(incident) => <Row incident={incident} onEdit={() => setEdited(incident)} />}
                </For>
              </ul>
            )}
          </Match>
        </Switch>
      </Card>
      <IfReads path="/backend/admin/settings/list/">
        <ShownSettings />
      </IfReads>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={edited() === "new" ? t("Post an incident") : t("Post an update")}
        size="wide"
      >
        <Show when={edited()} keyed>
          {(incident) => (
            <IncidentForm incident={incident === "new" ? null : incident} onDone={() => setEdited(null)} />
          )}
        </Show>
      </Dialog>
    </>
  );
}

function ShownSettings(): JSX.Element {
  const me = createMe();
  const settings = createSettings();
  return (
    <Card title={t("What is shown")}>
      <Switch fallback={<LoadingPart size="card" />}>
        <Match when={settings.isError && settings.data === undefined}>
          <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
        </Match>
        <Match when={settings.data}>
          {(data) => (
            <For each={settingNames}>
              {(name) => (
                <Show when={data().settings.find((each) => each.name === name)} keyed>
                  {(setting) => <SettingForm setting={setting} title={titleOf(setting)} mayChange={me.isSuper()} />}
                </Show>
              )}
            </For>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

function Row(props: { readonly incident: Incident; readonly onEdit: () => void }): JSX.Element {
  return (
    <li class="card">
      <div class="card-head">
        <h3>{props.incident.title}</h3>
        <ActButton operation="/backend/admin/incident/update/" onClick={() => props.onEdit()}>
          {t("Post an update")}
        </ActButton>
      </div>
      <p>
        <Badge>{shownWord(props.incident.state)}</Badge> <Badge>{shownWord(props.incident.impact)}</Badge>{" "}
        {props.incident.models.length === 0 ? t("All models") : props.incident.models.join(", ")}
      </p>
      <ul class="plain-list">
        <For each={props.incident.updates}>
          {(update) => (
            <li>
              <span class="muted">
                {shownMoment(update.posted_at)}, {update.posted_by}, {shownWord(update.state)}:
              </span>{" "}
              {update.text}
            </li>
          )}
        </For>
      </ul>
    </li>
  );
}

function IncidentForm(props: { readonly incident: Incident | null; readonly onDone: () => void }): JSX.Element {
  const { incident } = props;
  const operation = incident === null ? "/backend/admin/incident/create/" : "/backend/admin/incident/update/";
  const refresh = useRefresh(path);
  const form = createForm({
    initial: {
      title: incident?.title ?? "",
      impact: (incident?.impact ?? "minor") as string,
      state: (incident?.state ?? "investigating") as string,
      models: (incident?.models ?? []).join("\n"),
      text: "",
    },
    check: ({ title, text }) => ({
      ...(title.trim().length < 3 ? { title: t("Enter a title of at least three characters.") } : {}),
      ...(text.trim() === "" ? { text: t("Say what customers should know.") } : {}),
    }),
    body: ({ title, impact, state, models, text }) =>
      incident === null
        ? {
            ...{ title, impact, state, text },
            models: models.split(/[\s,]+/).filter((name) => name !== ""),
          }
        : { impact, state, text, incident_id: incident.id, version: incident.version },
    submit: async (_, body) => {
      await apiPost<typeof savedIncidentResponse>(operation, body);
      showToast(incident === null ? t("Incident posted") : t("Update posted"));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      action={incident === null ? t("Post incident") : t("Post update")}
      onCancel={props.onDone}
      operation={operation}
    >
      <Show when={incident === null}>
        <TextField label={t("Title")} maxlength="120" {...form.text("title")} />
      </Show>
      <FieldRow>
        <ChoiceField label={t("State")} options={optionsOf(incidentStates)} {...form.text("state")} />
        <ChoiceField label={t("Impact")} options={optionsOf(incidentImpacts)} {...form.text("impact")} />
      </FieldRow>
      <Show when={incident === null}>
        <TextArea
          label={t("Models")}
          hint={t("Their names, one per line. Leave it empty for all.")}
          rows="2"
          {...form.text("models")}
        />
      </Show>
      <TextArea label={t("What customers read")} maxlength="1000" rows="4" {...form.text("text")} />
    </AdminForm>
  );
}
