import type { SettingView, settingOutput, settingView } from "@sluice/contracts/settings";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../api/client.ts";
import { createForm } from "../../form/create-form.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { ErrorState } from "../../kit/states.tsx";
import { Badge } from "../../kit/status.tsx";
import { showToast } from "../../kit/toast.tsx";
import { formats } from "../formats.ts";
import { shownMoment } from "../shown.ts";
import { createAction, useRefresh } from "./actions.ts";
import { ChoiceField } from "./choice-field.tsx";
import { wholeOrNull } from "./field-values.ts";
import { ChangesOf } from "./form-parts.tsx";
import { outcomeText } from "./outcome-text.ts";
import styles from "./setting-form.module.css";

export type Setting = ResponseOf<typeof settingView>;

const path = "/backend/admin/settings/list/";

type NamedSetting = Pick<Setting, "name" | "version">;

/** What saves a setting as it was loaded. */
export const settingBody = ({ name, version }: NamedSetting, value: SettingView["value"] | null) => ({
  name,
  value,
  version,
});

/** Saves one setting, or leaves it waiting for a second person. @returns what to say */
export async function saveSetting(
  setting: NamedSetting,
  value: SettingView["value"] | null,
  done: string,
): Promise<string> {
  const answer = await apiPost<typeof settingOutput>("/backend/admin/settings/save/", settingBody(setting, value));
  return outcomeText(answer, () => done);
}

/** One setting with its explanation, and what it can be set to. */
export function SettingForm(props: { readonly setting: Setting; readonly mayChange: boolean }): JSX.Element {
  const { setting } = props;
  const [element, setElement] = createSignal<HTMLFormElement>();
  const refresh = useRefresh(path);
  const action = createAction(path);
  const save = (value: SettingView["value"] | null, done: string): Promise<string> => saveSetting(setting, value, done);
  const form = createForm({
    initial: { value: String(setting.value) },
    check: ({ value }) =>
      setting.kind !== "text" && value.trim() === "" ? { value: "Enter a value, or use the default." } : {},
    body: ({ value }) => settingBody(setting, toValue(setting, value)),
    submit: async ({ value }) => {
      const wanted = toValue(setting, value);
      showToast(await save(wanted, `${setting.name} saved`));
      await refresh();
      // A value waiting for a second person is not in effect yet.
      form.reset({ value: String(setting.value) });
    },
  });
  const isFixed = (): boolean => setting.source === "environment";
  return (
    <form class={styles["setting"]} onSubmit={form.onSubmit} noValidate aria-label={setting.name} ref={setElement}>
      <div>
        <div class="button-row">
          <code>{setting.name}</code>
          <Badge>{setting.source === "admin" ? "changed" : setting.source}</Badge>
        </div>
        <p class="muted">{setting.description}</p>
        <p class="muted">{factsOf(setting)}</p>
      </div>
      <div class={styles["control"]}>
        <SettingField setting={setting} form={form} isDisabled={isFixed() || !props.mayChange} />
        <Show when={form.problem()}>{(problem) => <ErrorState title="Nothing was changed" error={problem()} />}</Show>
        <Show when={props.mayChange && !isFixed() && element()}>
          {(shown) => <ChangesOf form={form} operation="/backend/admin/settings/save/" element={shown()} />}
        </Show>
        <Show when={props.mayChange && !isFixed()}>
          <div class="button-row">
            <Button type="submit" isBusy={form.isSubmitting()} disabled={!form.isChanged()}>
              Save
            </Button>
            <Show when={setting.source === "admin"}>
              <Button
                variant="quiet"
                isBusy={action.isBusy()}
                onClick={() => void action.run(() => save(null, `${setting.name} was reset to its default`))}
              >
                Use the default
              </Button>
            </Show>
          </div>
        </Show>
      </div>
    </form>
  );
}

function toValue({ kind }: Setting, written: string): SettingView["value"] | null {
  if (kind === "text") {
    return written;
  }
  return kind === "boolean" ? written === "true" : wholeOrNull(written);
}

function SettingField(props: {
  readonly setting: Setting;
  readonly form: ReturnType<typeof createForm<{ value: string }>>;
  readonly isDisabled: boolean;
}): JSX.Element {
  const { setting, form } = props;
  const label = setting.unit === null ? "Value" : `Value, ${setting.unit}`;
  return (
    <Show
      when={setting.kind === "boolean"}
      fallback={
        <TextField
          label={label}
          inputmode={setting.kind === "integer" ? "numeric" : "text"}
          disabled={props.isDisabled}
          {...form.text("value")}
        />
      }
    >
      <ChoiceField
        label={label}
        disabled={props.isDisabled}
        options={[
          { value: "true", label: "on" },
          { value: "false", label: "off" },
        ]}
        {...form.text("value")}
      />
    </Show>
  );
}

function factsOf(setting: Setting): string {
  const shown = (value: Setting["value"]): string => {
    if (typeof value === "string") {
      return value === "" ? "empty" : value;
    }
    return typeof value === "boolean" ? (value ? "on" : "off") : formats.number(value);
  };
  const range =
    setting.min === null || setting.max === null
      ? ""
      : ` From ${formats.number(setting.min)} to ${formats.number(setting.max)}.`;
  const changed =
    setting.updated_by === null ? "" : ` Changed by ${setting.updated_by}, ${shownMoment(setting.updated_at)}.`;
  const fixed = setting.source === "environment" ? ` Set by ${setting.variable} when the service starts.` : "";
  return `Default: ${shown(setting.default)}.${range}${changed}${fixed}`;
}
