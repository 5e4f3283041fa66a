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
import { known, t } from "../translate.ts";
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
export function SettingForm(props: {
  readonly setting: Setting;
  readonly title: string;
  readonly mayChange: boolean;
}): JSX.Element {
  const { setting } = props;
  const [element, setElement] = createSignal<HTMLFormElement>();
  const refresh = useRefresh(path);
  const action = createAction(path);
  const save = (value: SettingView["value"] | null, done: string): Promise<string> => saveSetting(setting, value, done);
  const form = createForm({
    initial: { value: String(setting.value) },
    check: ({ value }) =>
      setting.kind !== "text" && value.trim() === "" ? { value: t("Enter a value, or use the default.") } : {},
    body: ({ value }) => settingBody(setting, toValue(setting, value)),
    submit: async ({ value }) => {
      const wanted = toValue(setting, value);
      showToast(await save(wanted, t("{name} saved", { name: setting.name })));
      await refresh();
      // A value waiting for a second person is not in effect yet.
      form.reset({ value: String(setting.value) });
    },
  });
  const isFixed = (): boolean => setting.source === "environment";
  return (
    <form
      class={styles["setting"]}
      onSubmit={form.onSubmit}
      noValidate
      aria-label={`${props.title}, ${setting.name}`}
      ref={setElement}
    >
      <div>
        <div class="button-row">
          <strong>{props.title}</strong>
          <Badge>{setting.source === "admin" ? t("changed") : known(setting.source)}</Badge>
        </div>
        <p class="muted">{known(setting.description)}</p>
        <p class="muted">
          {factsOf(setting)} <code>{setting.name}</code>
        </p>
      </div>
      <div class={styles["control"]}>
        <SettingField setting={setting} form={form} isDisabled={isFixed() || !props.mayChange} />
        <Show when={form.problem()}>
          {(problem) => <ErrorState title={t("Nothing was changed")} error={problem()} />}
        </Show>
        <Show when={props.mayChange && !isFixed() && element()}>
          {(shown) => <ChangesOf form={form} operation="/backend/admin/settings/save/" element={shown()} />}
        </Show>
        <Show when={props.mayChange && !isFixed()}>
          <div class="button-row">
            <Button type="submit" isBusy={form.isSubmitting()} disabled={!form.isChanged()}>
              {t("Save")}
            </Button>
            <Show when={setting.source === "admin"}>
              <Button
                variant="quiet"
                isBusy={action.isBusy()}
                onClick={() =>
                  void action.run(() => save(null, t("{name} was reset to its default", { name: setting.name })))
                }
              >
                {t("Use the default")}
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
  const label = setting.unit === null ? t("Value") : t("Value, {unit}", { unit: known(setting.unit) });
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
          { value: "true", label: t("on") },
          { value: "false", label: t("off") },
        ]}
        {...form.text("value")}
      />
    </Show>
  );
}

function factsOf(setting: Setting): string {
  const shown = (value: Setting["value"]): string => {
    if (typeof value === "string") {
      return value === "" ? t("empty") : value;
    }
    return typeof value === "boolean" ? (value ? t("on") : t("off")) : formats.number(value);
  };
  const range =
    setting.min === null || setting.max === null
      ? ""
      : t(" From {min} to {max}.", { min: formats.number(setting.min), max: formats.number(setting.max) });
  const changed =
    setting.updated_by === null
      ? ""
      : t(" Changed by {updated_by}, {updated_at}.", {
          updated_by: setting.updated_by,
          updated_at: shownMoment(setting.updated_at),
        });
  const fixed =
    setting.source === "environment"
      ? t(" Set by {variable} when the service starts.", { variable: setting.variable })
      : "";
  return t("Default: {default}.{range}{changed}{fixed}", { default: shown(setting.default), range, changed, fixed });
}
