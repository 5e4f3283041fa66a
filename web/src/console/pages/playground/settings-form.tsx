import type { madeKeyResponse } from "@sluice/contracts/keys";
import { createMutation } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import type { OfferedModel } from "../../parts/queries.ts";
import type { Settings } from "./chat.ts";
import { playgroundArea } from "./messages/messages.ts";

type SettingsProps = {
  readonly settings: Settings;
  readonly models: readonly OfferedModel[];
  readonly isLoading: boolean;
  readonly onChange: (change: Partial<Settings>) => void;
};

/** The key and settings for requests to a model. */
export function SettingsForm(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <div class="form" aria-busy={props.isLoading}>
      <KeyField {...props} />
      <SelectField
        label={texts.model}
        value={props.settings.model}
        onChange={(event) => props.onChange({ model: event.currentTarget.value })}
      >
        <For each={props.models}>
          {({ name }) => (
            <option value={name} selected={name === props.settings.model}>
              {name}
            </option>
          )}
        </For>
      </SelectField>
      <TextArea
        label={texts.system}
        optional={texts.optional}
        value={props.settings.system}
        onInput={(event) => props.onChange({ system: event.currentTarget.value })}
      />
      <TextField
        label={texts.maxTokens}
        optional={texts.optional}
        type="number"
        min="1"
        value={props.settings.maxTokens}
        onInput={(event) => props.onChange({ maxTokens: event.currentTarget.value })}
      />
      <TextField
        label={texts.temperature}
        hint={texts.asModel}
        optional={texts.optional}
        type="number"
        min="0"
        max="2"
        step="0.1"
        value={props.settings.temperature}
        onInput={(event) => props.onChange({ temperature: event.currentTarget.value })}
      />
    </div>
  );
}

/** A key is pasted or created: existing ones can't be read by anybody, not even here. */
function KeyField(props: SettingsProps): JSX.Element {
  const texts = playgroundArea.texts();
  const makeKey = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof madeKeyResponse>(
        "/backend/keys/create/",
        { name: "Playground" },
        { idempotencyKey: newIdempotencyKey() },
      ),
    onSuccess: ({ secret }) => {
      props.onChange({ apiKey: secret ?? "" });
      showToast(texts.madeKey, "info");
    },
  }));
  return (
    <>
      <TextField
        label={texts.key}
        hint={texts.keyHint}
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={props.settings.apiKey}
        onInput={(event) => props.onChange({ apiKey: event.currentTarget.value })}
      />
      <Show when={props.settings.apiKey === ""}>
        <div>
          <Button isBusy={makeKey.isPending} onClick={() => makeKey.mutate()}>
            {texts.makeKey}
          </Button>
        </div>
      </Show>
      <Show when={makeKey.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
    </>
  );
}
