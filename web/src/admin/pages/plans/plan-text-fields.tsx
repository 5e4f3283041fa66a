import { isLocale, type Locale } from "@sluice/contracts/locales";
import type { PlanTexts } from "@sluice/contracts/plan-texts";
import { createSignal, type JSX } from "solid-js";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { rich, t } from "../../translate.ts";
import { LocaleField } from "../branding/texts.tsx";
import { linesOf } from "./plan-lines.ts";

type Text = NonNullable<PlanTexts[Locale]>;

/** Texts as they are typed; empty ones are left out when they are sent. */
export function sentTexts(texts: PlanTexts): PlanTexts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([locale, { name = "", description = "", features = [] }]) => {
      const text: Text = {
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(description.trim() === "" ? {} : { description: description.trim() }),
        ...(features.length === 0 ? {} : { features }),
      };
      return isLocale(locale) && Object.keys(text).length > 0 ? [[locale, text]] : [];
    }),
  );
}

/** What buyers read in other languages, one at a time. */
export function PlanTextFields(props: {
  readonly texts: PlanTexts;
  readonly onChange: (texts: PlanTexts) => void;
}): JSX.Element {
  const [locale, setLocale] = createSignal<Locale>("zh");
  const text = (): Text => props.texts[locale()] ?? {};
  const change = (part: Text): void => props.onChange({ ...props.texts, [locale()]: { ...text(), ...part } });
  const written = (): number => Object.keys(sentTexts(props.texts)).length;
  return (
    <details>
      <summary>{rich("Other languages: {none}", { none: written() === 0 ? t("none") : written() })}</summary>
      <p class="muted">{t("Where a language has no text, the one above is shown.")}</p>
      <LocaleField
        locale={locale()}
        onChange={setLocale}
        hasText={(each) => Object.hasOwn(sentTexts(props.texts), each)}
      />
      <TextField
        label={t("Name in this language")}
        optional={t("optional")}
        autocomplete="off"
        maxlength="100"
        dir="auto"
        value={text().name ?? ""}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <TextArea
        label={t("Description in this language")}
        optional={t("optional")}
        maxlength="1000"
        dir="auto"
        value={text().description ?? ""}
        onInput={(event) => change({ description: event.currentTarget.value })}
      />
      <TextArea
        label={t("Features in this language")}
        optional={t("optional")}
        hint={t("One per line.")}
        dir="auto"
        value={(text().features ?? []).join("\n")}
        onChange={(event) => change({ features: linesOf(event.currentTarget.value) })}
      />
    </details>
  );
}
