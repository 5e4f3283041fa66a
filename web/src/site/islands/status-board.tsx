import type { Locale } from "@sluice/contracts/locales";
import type { statusResponse } from "@sluice/contracts/status";
import type { ComponentState, StatusIndicator } from "@sluice/contracts/status-states";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { type Formats, formatsOf } from "../../i18n/format.ts";
import { fill } from "../../i18n/messages.ts";
import type { StatusTexts } from "../pages/status/messages/en.ts";

type Texts = Omit<StatusTexts, "title" | "description" | "heading">;
type View = ResponseOf<typeof statusResponse>;
type Component = View["components"][number];
type Shown = { readonly view: View; readonly texts: Texts; readonly formats: Formats };

export type StatusBoardProps = { readonly locale: Locale; readonly texts: Texts };

const tones: Readonly<Record<ComponentState, string>> = {
  operational: "ok",
  degraded_performance: "warn",
  partial_outage: "warn",
  major_outage: "bad",
  unknown: "neutral",
};
const overallTones: Readonly<Record<StatusIndicator, string>> = {
  none: "ok",
  maintenance: "info",
  minor: "warn",
  major: "bad",
  critical: "bad",
};
const refreshMs = 60_000;
const dayMs = 86_400_000;

/** How the service does, read when the page is shown and once a minute while it is seen. */
export function StatusBoard(props: StatusBoardProps): JSX.Element {
  const formats = formatsOf(props.locale, "UTC");
  const [view, setView] = createSignal<View | null>(null);
  const [hasFailed, setHasFailed] = createSignal(false);
  const load = async (): Promise<void> => {
    try {
      const response = await fetch("/backend/status/", { headers: { accept: "application/json" } });
      if (!response.ok) {
        throw new Error(`the status responded ${response.status}`);
      }
      setView((await response.json()) as View);
      setHasFailed(false);
    } catch {
      // What was shown before stays, with its time.
      setHasFailed(true);
    }
  };
  onMount(() => {
    void load();
    setInterval(() => {
      if (document.visibilityState === "visible") {
        void load();
      }
    }, refreshMs);
  });
  return (
    <div class="status-board" aria-busy={view() === null && !hasFailed()}>
      <Show
        when={view()}
        keyed
        fallback={<Waiting texts={props.texts} hasFailed={hasFailed()} onRetry={() => void load()} />}
      >
        {(shown) => <Board view={shown} texts={props.texts} formats={formats} />}
      </Show>
    </div>
  );
}

/** Before there is anything to show. */
function Waiting(props: {
  readonly texts: Texts;
  readonly hasFailed: boolean;
  readonly onRetry: () => void;
}): JSX.Element {
  return (
    <>
      <p class="lead" role="status">
        {props.hasFailed ? props.texts.failed : props.texts.loading}
      </p>
      <Show when={props.hasFailed}>
        <p>
          <button type="button" class="button" onClick={() => props.onRetry()}>
            {props.texts.retry}
          </button>
        </p>
      </Show>
    </>
  );
}

function Board(props: Shown): JSX.Element {
  const { view, texts, formats } = props;
  const { indicator } = view.status;
  return (
    <>
      <p class="status-overall" data-tone={overallTones[indicator]} role="status">
        <span class="status" data-tone={overallTones[indicator]}>
          {texts.overall[indicator]}
        </span>
      </p>
      <p class="muted">{fill(texts.updated, { time: `${formats.dateTime(view.page.updated_at)} UTC` })}</p>
      <Show when={view.components.length > 0}>
        <h2>{texts.models}</h2>
        <ul class="plain-list status-models">
          <For each={view.components}>
            {(component) => <Model component={component} view={view} texts={texts} formats={formats} />}
          </For>
        </ul>
      </Show>
      <h2>{texts.incidents}</h2>
      <Show when={view.incidents.length > 0} fallback={<p>{texts.noIncidents}</p>}>
        <For each={view.incidents}>
          {(incident) => <Incident incident={incident} view={view} texts={texts} formats={formats} />}
        </For>
      </Show>
      <p class="muted">
        {texts.days} <a href="/backend/status/">{texts.json}</a>
      </p>
    </>
  );
}

function Model(props: Shown & { readonly component: Component }): JSX.Element {
  const { component, texts, formats } = props;
  return (
    <li class="status-model">
      <div class="status-model-head">
        <bdi class="status-name">{component.display_name}</bdi>
        <span class="status" data-tone={tones[component.status]}>
          {texts.states[component.status]}
        </span>
      </div>
      <Show when={component.success_by_day.length > 0}>
        <Bars component={component} view={props.view} texts={texts} formats={formats} />
      </Show>
      <p class="muted status-facts">
        <Show when={component.success !== null && component.success}>
          {(share) => <span>{fill(texts.success, { share: formats.percent(share()) })}</span>}
        </Show>
        <Show when={component.first_byte_ms_p95}>
          {(time) => <span>{fill(texts.firstByte, { time: formats.milliseconds(time()) })}</span>}
        </Show>
      </p>
    </li>
  );
}

/** Which of four colours a day has. */
function levelOf(share: number | null): string {
  if (share === null) {
    return "none";
  }
  if (share >= 0.98) {
    return "ok";
  }
  return share >= 0.9 ? "warn" : "bad";
}

function Bars(props: Shown & { readonly component: Component }): JSX.Element {
  const { component, texts, formats, view } = props;
  const first = Date.parse(`${view.from_day}T00:00:00Z`);
  const known = component.success_by_day.filter((share) => share !== null);
  const label =
    known.length === 0
      ? texts.few
      : fill(texts.bars, { days: formats.number(known.length), lowest: formats.percent(Math.min(...known)) });
  const titleOf = (share: number | null, index: number): string => {
    const day = formats.date(new Date(first + index * dayMs));
    return `${day}: ${share === null ? texts.few : formats.percent(share)}`;
  };
  return (
    <>
      <div class="status-bars" role="img" aria-label={label}>
        <For each={component.success_by_day}>
          {(share, index) => <span data-level={levelOf(share)} title={titleOf(share, index())} />}
        </For>
      </div>
      <p class="muted status-span" aria-hidden="true">
        <span>{texts.oldest}</span>
        <span>{texts.today}</span>
      </p>
    </>
  );
}

function Incident(props: Shown & { readonly incident: View["incidents"][number] }): JSX.Element {
  const { incident, texts, formats } = props;
  return (
    <article class="status-incident">
      <h3 dir="auto">{incident.title}</h3>
      <Show when={incident.models.length > 0}>
        <p class="muted">{fill(texts.concerned, { models: formats.list(incident.models) })}</p>
      </Show>
      <ul class="plain-list">
        <For each={incident.updates}>
          {(update) => (
            <li>
              <p class="muted">
                <strong>{texts.incidentStates[update.state]}</strong>{" "}
                <time datetime={update.posted_at}>{formats.dateTime(update.posted_at)} UTC</time>
              </p>
              <p dir="auto">{update.text}</p>
            </li>
          )}
        </For>
      </ul>
    </article>
  );
}
