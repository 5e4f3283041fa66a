import { For, type JSX } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Card } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { chooseTheme, chosenTheme } from "../../../shell/preferences.ts";
import { browserZone } from "../../parts/days.ts";
import { accountArea } from "./messages/messages.ts";

const themes = ["system", "light", "dark"] as const;

/** The preferences stored in this browser. */
export function PreferencesCard(): JSX.Element {
  const texts = accountArea.texts();
  return (
    <Card title={texts.preferences}>
      <div class="form">
        <SelectField
          label={texts.theme}
          value={chosenTheme()}
          onChange={(event) => chooseTheme(themes.find((theme) => theme === event.currentTarget.value) ?? "system")}
        >
          <For each={themes}>
            {(theme) => (
              <option value={theme} selected={theme === chosenTheme()}>
                {texts.themes[theme]}
              </option>
            )}
          </For>
        </SelectField>
        <p class="muted">{fill(texts.zoneText, { zone: browserZone() })}</p>
      </div>
    </Card>
  );
}
