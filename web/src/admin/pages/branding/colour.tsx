import { type AccentTheme, accentColours, accentThemes, isHexColour } from "@sluice/contracts/accent-colours";
import { createUniqueId, For, type JSX, Show } from "solid-js";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { type Setting, saveSetting, settingBody } from "../../parts/setting-form.tsx";
import { rich, t } from "../../translate.ts";
import styles from "./branding.module.css";
import type { BrandingData } from "./branding.ts";

type ColourProps = {
  readonly setting: Setting;
  /** Of the service. */
  readonly name: string;
  readonly images: BrandingData["images"];
  readonly mayChange: boolean;
};

/** The colour of buttons and links, and how it looks in both themes before it is saved. */
export function Colour(props: ColourProps): JSX.Element {
  const id = createUniqueId();
  const refresh = useRefresh("/backend/admin/settings/list/");
  const stored = (): string => String(props.setting.value);
  const form = createForm({
    initial: { value: stored() },
    check: ({ value }) =>
      value.trim() === "" || isHexColour(value.trim())
        ? {}
        : { value: t("Enter a colour such as #0b6b5f, or nothing.") },
    body: ({ value }) => settingBody(props.setting, value.trim().toLowerCase()),
    submit: async ({ value }) => {
      showToast(await saveSetting(props.setting, value.trim().toLowerCase(), t("Colour saved")));
      await refresh();
    },
  });
  const chosen = (): string | null => {
    const value = form.values().value.trim();
    return isHexColour(value) ? value.toLowerCase() : null;
  };
  return (
    <div class={styles["colour"]}>
      <AdminForm form={form} action={t("Save colour")} operation="/backend/admin/settings/save/">
        <TextField
          label={t("Colour")}
          hint={t("Such as #0b6b5f. Leave it empty for the default.")}
          autocomplete="off"
          spellcheck={false}
          {...form.text("value")}
        />
        <label class={styles["picker"]} for={id}>
          <input
            id={id}
            type="color"
            value={chosen() ?? "#0b6b5f"}
            onInput={(event) => form.set("value", event.currentTarget.value)}
          />
          <span>{t("Choose from a palette")}</span>
        </label>
      </AdminForm>
      <Show when={chosen()} fallback={<p class="muted">{t("The default colour is used.")}</p>}>
        {(colour) => (
          <div class={styles["themes"]}>
            <For each={accentThemes}>
              {(theme) => <ThemeSample theme={theme} colour={colour()} name={props.name} images={props.images} />}
            </For>
          </div>
        )}
      </Show>
    </div>
  );
}

function ThemeSample(props: {
  readonly theme: AccentTheme;
  readonly colour: string;
  readonly name: string;
  readonly images: BrandingData["images"];
}): JSX.Element {
  const colours = () => accentColours(props.colour, props.theme);
  const logo = () =>
    props.images.find(({ kind }) => kind === `logo_${props.theme}`) ??
    props.images.find(({ kind }) => kind === "logo_light" || kind === "logo_dark");
  const isLight = props.theme === "light";
  return (
    <figure class={styles["theme"]}>
      <div class={styles["page"]} data-sample={props.theme}>
        <span class={styles["brand"]}>
          <Show when={logo()}>{(image) => <img src={image().url} alt="" />}</Show>
          <bdi>{props.name}</bdi>
        </span>
        <span class={styles["link"]} style={{ color: colours().ink }}>
          {t("A link in text")}
        </span>
        <span class={styles["button"]} style={{ background: colours().accent, color: colours().on }}>
          {t("A button")}
        </span>
      </div>
      <figcaption class="muted">
        <Show
          when={colours().isAdjusted}
          fallback={t("{light} pages use it as it is. The lowest contrast is {contrast}.", {
            light: isLight ? t("Light") : t("Dark"),
            contrast: colours().contrast,
          })}
        >
          {rich(
            "{on_light_pages} text in it would be hard to read, so it becomes {accent}, which is {darker}. The lowest contrast is {contrast}; 4.5 is needed.",
            {
              on_light_pages: isLight ? t("On light pages") : t("On dark pages"),
              accent: <code>{colours().accent}</code>,
              darker: isLight ? t("darker") : t("lighter"),
              contrast: colours().contrast,
            },
          )}
        </Show>
      </figcaption>
    </figure>
  );
}
