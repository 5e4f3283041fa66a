import { type ProviderPreset, providerPresets } from "@sluice/contracts/provider-presets";
import { createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { t } from "../../translate.ts";
import styles from "./provider.module.css";

/** Which provider is added; null stands for one that is not in the list. */
export function ProviderChoice(props: { readonly onChoose: (preset: ProviderPreset | null) => void }): JSX.Element {
  const [sought, setSought] = createSignal("");
  const found = () => {
    const text = sought().trim().toLowerCase();
    return providerPresets.filter(({ id, name }) => id.includes(text) || name.toLowerCase().includes(text));
  };
  return (
    <Card title={t("Choose the provider")}>
      <div class="section-stack">
        <TextField
          label={t("Find a provider")}
          type="search"
          autocomplete="off"
          data-search=""
          value={sought()}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        <ul class={styles["providers"]}>
          <For each={found()}>
            {(preset) => (
              <li>
                <Button onClick={() => props.onChoose(preset)}>{preset.name}</Button>
              </li>
            )}
          </For>
          <li>
            <Button onClick={() => props.onChoose(null)}>{t("Custom")}</Button>
          </li>
        </ul>
        <Show when={found().length === 0}>
          <p class="muted">{t("No provider has this name. Custom takes any address.")}</p>
        </Show>
      </div>
    </Card>
  );
}
