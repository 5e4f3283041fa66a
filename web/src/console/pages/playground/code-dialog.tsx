import { createSignal, For, type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { CodeBlock } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { keyVariable, toCode } from "./as-code.ts";
import type { Place } from "./conversation.ts";
import { playgroundArea } from "./messages/messages.ts";

type CodeProps = {
  readonly places: readonly Place[];
  readonly bodyOf: (place: Place) => Record<string, unknown>;
  readonly hasFiles: boolean;
};

/** The next request as a program in five languages. */
export function CodeDialog(props: CodeProps & { readonly isOpen: boolean; readonly onClose: () => void }): JSX.Element {
  const texts = playgroundArea.texts();
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.code} size="wide">
      <CodeParts {...props} />
    </Dialog>
  );
}

function CodeParts(props: CodeProps): JSX.Element {
  const texts = playgroundArea.texts();
  const [placeId, setPlaceId] = createSignal("");
  const [language, setLanguage] = createSignal("curl");
  const place = (): Place | undefined => props.places.find(({ id }) => id === placeId()) ?? props.places[0];
  const tabs = () => {
    const chosen = place();
    return chosen === undefined ? [] : toCode(props.bodyOf(chosen), location.origin);
  };
  return (
    <div class="form">
      <p>{fill(texts.codeText, { variable: keyVariable })}</p>
      <Show when={props.hasFiles}>
        <p>{texts.codeNoFiles}</p>
      </Show>
      <Show when={props.places.length > 1}>
        <SelectField
          label={texts.model}
          value={place()?.id ?? ""}
          onChange={(event) => setPlaceId(event.currentTarget.value)}
        >
          <For each={props.places}>{({ id, model }) => <option value={id}>{model}</option>}</For>
        </SelectField>
      </Show>
      <Tabs label={texts.code} tabs={tabs()} selected={language()} onSelect={setLanguage}>
        <CodeBlock label={texts.code} code={tabs().find(({ id }) => id === language())?.code ?? ""} />
      </Tabs>
    </div>
  );
}
