import { For, type JSX, onMount, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { formats } from "../../formats.ts";
import { createProjectsQuery } from "../../parts/organisation-queries.ts";
import type { OfferedModel } from "../../parts/queries.ts";
import {
  efforts,
  exampleSchema,
  exampleTools,
  faultsOf,
  reasons,
  type SettingName,
  type Settings,
} from "./call-settings.ts";
import { type Place, placesMax } from "./conversation.ts";
import { playgroundArea } from "./messages/messages.ts";
import { ownKeyLimits } from "./own-key.ts";
import styles from "./playground.module.css";

export type SettingsProps = {
  readonly places: readonly Place[];
  readonly onPlaces: (places: readonly Place[]) => void;
  readonly projectId: string;
  readonly onProject: (id: string) => void;
  readonly settings: Settings;
  readonly onChange: (name: SettingName, value: string) => void;
  readonly models: readonly OfferedModel[];
  readonly isLoading: boolean;
};

/** Below this width the settings are above the conversation, and closed at first. */
const wideQuery = "(width >= 56rem)";

/** The models that are asked, and how. */
export function SettingsForm(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  let details: HTMLDetailsElement | undefined;
  onMount(() => {
    if (details !== undefined) {
      details.open = matchMedia(wideQuery).matches;
    }
  });
  return (
    <div class="form" aria-busy={props.isLoading}>
      <ModelFields {...props} />
      <details
        class={styles["settings"]}
        ref={(each) => {
          details = each;
        }}
      >
        <summary>{texts.settings}</summary>
        <div class="form">
          <ProjectField {...props} />
          <CallFields {...props} />
          <p class="field-hint">
            {fill(texts.key, {
              name: ownKeyLimits.name,
              hours: ownKeyLimits.hours,
              amount: formats.quota(ownKeyLimits.quota),
            })}{" "}
            <a href="/console/keys/">{texts.keys}</a>
          </p>
        </div>
      </details>
    </div>
  );
}

function ModelFields(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  const change = (id: string, model: string): void =>
    props.onPlaces(props.places.map((place) => (place.id === id ? { id, model } : place)));
  const add = (): void => {
    const used = props.places.map(({ model }) => model);
    const next = props.models.find(({ name }) => !used.includes(name)) ?? props.models[0];
    // The ids are of places and not of models: they stay free of gaps that anybody could see.
    const id = ["1", "2", "3", "4"].find((each) => props.places.every((place) => place.id !== each)) ?? "";
    props.onPlaces([...props.places, { id, model: next?.name ?? "" }]);
  };
  return (
    <>
      <For each={props.places.map(({ id }) => id)}>
        {(id, index) => {
          const model = (): string => props.places.find((place) => place.id === id)?.model ?? "";
          return (
            <div class={styles["model"]}>
              <SelectField
                label={props.places.length === 1 ? texts.model : fill(texts.modelAt, { number: index() + 1 })}
                value={model()}
                onChange={(event) => change(id, event.currentTarget.value)}
              >
                <For each={props.models}>
                  {({ name }) => (
                    <option value={name} selected={name === model()}>
                      {name}
                    </option>
                  )}
                </For>
              </SelectField>
              <Show when={props.places.length > 1}>
                <Button
                  variant="quiet"
                  shape="square"
                  aria-label={fill(texts.remove, { model: model() })}
                  onClick={() => props.onPlaces(props.places.filter((place) => place.id !== id))}
                >
                  <Icon name="close" />
                </Button>
              </Show>
            </div>
          );
        }}
      </For>
      <Show when={props.places.length < placesMax && props.models.length > 0}>
        <div>
          <Button variant="quiet" onClick={add}>
            <Icon name="plus" />
            {texts.compare}
          </Button>
        </div>
      </Show>
    </>
  );
}

/** Of an organisation: the project that is charged. */
function ProjectField(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  const organisation = createProjectsQuery();
  const projects = () => (organisation.data?.projects ?? []).filter(({ status }) => status === "active");
  return (
    <Show when={projects().length > 0}>
      <SelectField
        label={texts.project}
        value={props.projectId}
        onChange={(event) => props.onProject(event.currentTarget.value)}
      >
        <option value="">{texts.noProject}</option>
        <For each={projects()}>
          {({ project_id, name }) => (
            <option value={String(project_id)} selected={String(project_id) === props.projectId}>
              {name}
            </option>
          )}
        </For>
      </SelectField>
    </Show>
  );
}

function CallFields(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  const field = (name: SettingName) => ({
    get value() {
      return props.settings[name];
    },
    get error() {
      const fault = faultsOf(props.settings)[name];
      return fault === undefined ? null : texts.fault[fault];
    },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      props.onChange(name, event.currentTarget.value),
  });
  return (
    <>
      <TextArea label={texts.system} optional={texts.optional} {...field("system")} />
      <div class={styles["numbers"]}>
        <TextField label={texts.maxTokens} placeholder={texts.asModel} inputmode="numeric" {...field("maxTokens")} />
        <TextField
          label={texts.temperature}
          placeholder={texts.asModel}
          inputmode="decimal"
          {...field("temperature")}
        />
      </div>
      <Show when={props.places.some(({ model }) => reasons(props.models, model))}>
        <SelectField label={texts.effort} {...field("effort")}>
          <option value="">{texts.asModel}</option>
          <For each={efforts}>
            {(effort) => (
              <option value={effort} selected={effort === props.settings.effort}>
                {texts.efforts[effort]}
              </option>
            )}
          </For>
        </SelectField>
      </Show>
      <JsonField {...props} name="tools" label={texts.tools} hint={texts.toolsHint} example={exampleTools} />
      <JsonField {...props} name="schema" label={texts.schema} hint={texts.schemaHint} example={exampleSchema} />
    </>
  );
}

/** A setting that is written as JSON, with an example to begin from. */
function JsonField(
  props: SettingsProps & {
    readonly name: "tools" | "schema";
    readonly label: string;
    readonly hint: string;
    readonly example: unknown;
  },
): JSX.Element {
  const texts = playgroundArea.texts();
  const fault = (): string | null => {
    const found = faultsOf(props.settings)[props.name];
    return found === undefined ? null : texts.fault[found];
  };
  // Only at first: it does not close under the hands of someone who empties the field.
  const isOpen = props.settings[props.name] !== "";
  return (
    <details class={styles["settings"]} open={isOpen}>
      <summary>{props.label}</summary>
      <div class="form">
        <TextArea
          class={`input ${styles["json"]}`}
          label={props.label}
          hint={props.hint}
          error={fault()}
          optional={texts.optional}
          dir="ltr"
          spellcheck={false}
          rows={8}
          value={props.settings[props.name]}
          onInput={(event) => props.onChange(props.name, event.currentTarget.value)}
        />
        <Show when={props.settings[props.name].trim() === ""}>
          <div>
            <Button onClick={() => props.onChange(props.name, JSON.stringify(props.example, null, 2))}>
              {texts.example}
            </Button>
          </div>
        </Show>
      </div>
    </details>
  );
}
