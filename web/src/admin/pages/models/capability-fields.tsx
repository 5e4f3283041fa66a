import { type StatedCapability, statedCapabilities } from "@sluice/contracts/model-capabilities";
import { For, type JSX, Show } from "solid-js";
import { Checkbox } from "../../../kit/field.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { t } from "../../translate.ts";

type Capabilities = readonly StatedCapability[] | null;

export const capabilityLabels: Readonly<Record<StatedCapability, string>> = {
  tools: t("Calls tools"),
  reasoning: t("Reasons before answering"),
  structured_output: t("Follows a JSON schema"),
  audio_input: t("Takes audio"),
};

const byName = "by_name";
const chosen = "chosen";

/** The value of the form field for what is stored: null becomes an empty text. */
export function capabilityText(capabilities: Capabilities): string {
  return capabilities === null
    ? ""
    : [chosen, ...statedCapabilities.filter((one) => capabilities.includes(one))].join(" ");
}

/** The reverse of `capabilityText`. */
export function capabilitiesIn(text: string): Capabilities {
  return text === "" ? null : statedCapabilities.filter((one) => text.split(" ").includes(one));
}

/** What the public pages and the console say that a model can do. */
export function CapabilityFields(props: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const stated = (): Capabilities => capabilitiesIn(props.value);
  const choose = (capability: StatedCapability, isChosen: boolean): void => {
    const now = stated() ?? [];
    props.onChange(
      capabilityText(statedCapabilities.filter((one) => (one === capability ? isChosen : now.includes(one)))),
    );
  };
  return (
    <>
      <ChoiceField
        label={t("Capabilities")}
        name="capabilities"
        hint={t("What the public model page shows. It reads images if one costs tokens.")}
        options={[
          { value: byName, label: t("Known from its name") },
          { value: chosen, label: t("Chosen here") },
        ]}
        value={stated() === null ? byName : chosen}
        onInput={(event) => props.onChange(capabilityText(event.currentTarget.value === byName ? null : []))}
      />
      <Show when={stated()}>
        {(now) => (
          <fieldset class="field-group">
            <legend>{t("The model")}</legend>
            <For each={statedCapabilities}>
              {(capability) => (
                <Checkbox
                  label={capabilityLabels[capability]}
                  name={`capabilities:${capability}`}
                  checked={now().includes(capability)}
                  onChange={(event) => choose(capability, event.currentTarget.checked)}
                />
              )}
            </For>
          </fieldset>
        )}
      </Show>
    </>
  );
}
