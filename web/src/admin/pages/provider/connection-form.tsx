import type { ProviderPreset } from "@sluice/contracts/provider-presets";
import { createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { createRefusal } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { AddressFields, RequestFields } from "../upstreams/settings-fields.tsx";
import { placeField, withPlace } from "./connection.ts";
import type { Setup } from "./create-setup.ts";

type ConnectionProps = {
  readonly preset: ProviderPreset | null;
  readonly form: Setup["form"];
  readonly hasRows: boolean;
  readonly onBack: () => void;
};

/** What it takes to call the provider: for most of them, only the key. */
export function ConnectionForm(props: ConnectionProps): JSX.Element {
  const { preset, form } = props;
  const refusal = createRefusal("/backend/admin/channel/adopt/");
  const hasOddSettings = (): boolean =>
    Object.keys(form.values()).some((name) => name.startsWith("upstream.") && form.errorOf(name as never) !== null);
  const [isChanging, setIsChanging] = createSignal(false);
  // Once there is a list, it is the next step; what is wrong here is shown again.
  const isFolded = (): boolean =>
    props.hasRows &&
    !isChanging() &&
    form.problem() === null &&
    Object.keys(form.values()).every((name) => form.errorOf(name as never) === null);
  return (
    <Card
      title={preset?.name ?? t("Custom provider")}
      actions={
        <div class="button-row">
          <Show when={isFolded()}>
            <Button onClick={() => setIsChanging(true)}>{t("Change the connection")}</Button>
          </Show>
          <Button variant="quiet" onClick={() => props.onBack()}>
            {t("Choose another")}
          </Button>
        </div>
      }
    >
      <form
        class="form"
        hidden={isFolded()}
        ref={(element) => queueMicrotask(() => element.querySelector("input")?.focus())}
        onSubmit={form.onSubmit}
        noValidate
      >
        <Show when={refusal.isRefused()}>{refusal.notice()}</Show>
        <Show when={preset?.note}>{(note) => <Notice tone="info">{note()}</Notice>}</Show>
        <Show when={form.problem()}>
          {(problem) => <ErrorState title={t("The list of models did not load")} error={problem()} />}
        </Show>
        <Show when={preset !== null} fallback={<AddressFields form={form} />}>
          <PlaceFields preset={preset} form={form} />
        </Show>
        <FieldRow>
          <TextField
            label={t("Key")}
            hint={<KeyHint preset={preset} />}
            optional={preset?.needsCredential === true ? undefined : t("optional")}
            type="password"
            autocomplete="new-password"
            {...form.text("credential")}
          />
          <TextField label={t("Name of the channel")} autocomplete="off" {...form.text("name")} />
        </FieldRow>
        <Show when={preset === null || preset.modelList === null || hasOddSettings()}>
          <TextArea
            label={t("Names of models")}
            hint={t("One on each line, as the provider calls them. With names, the list is not fetched.")}
            optional={preset?.modelList === null ? undefined : t("optional")}
            rows={3}
            spellcheck={false}
            {...form.text("names")}
          />
        </Show>
        <details open={hasOddSettings()}>
          <summary>{t("Advanced")}</summary>
          <div class="form">
            <Show when={preset !== null}>
              <AddressFields form={form} />
            </Show>
            <RequestFields form={form} />
          </div>
        </details>
        <div class="form-actions">
          <Button
            type="submit"
            variant={props.hasRows ? "plain" : "primary"}
            isBusy={form.isSubmitting()}
            disabled={refusal.isRefused()}
          >
            {props.hasRows ? t("Get the models again") : t("Get the models")}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function PlaceFields(props: { readonly preset: ProviderPreset | null; readonly form: Setup["form"] }): JSX.Element {
  const { preset, form } = props;
  const enter = (place: string, text: string): void => {
    if (preset !== null) {
      const next = withPlace(preset, form.values(), place, text);
      for (const [name, value] of Object.entries(next)) {
        if (form.values()[name as "name"] !== value) {
          form.set(name as "name", value as string);
        }
      }
    }
  };
  return (
    <For each={preset?.places ?? []}>
      {(place) => (
        <TextField
          label={place.label}
          spellcheck={false}
          autocomplete="off"
          {...form.text(placeField(place.name))}
          onInput={(event) => enter(place.name, event.currentTarget.value)}
        />
      )}
    </For>
  );
}

function KeyHint(props: { readonly preset: ProviderPreset | null }): JSX.Element {
  return (
    <>
      {t("Stored encrypted, never shown again.")}
      <Show when={props.preset?.documentation}>
        {(address) => (
          <>
            {" "}
            <a href={address()} target="_blank" rel="noreferrer">
              {t("Documentation")}
            </a>
          </>
        )}
      </Show>
    </>
  );
}
