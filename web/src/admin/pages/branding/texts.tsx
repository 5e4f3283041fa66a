import { footerLinksMax } from "@sluice/contracts/brand";
import type { savedTextResponse } from "@sluice/contracts/branding";
import { allLocales, directionOf, isLocale, type Locale } from "@sluice/contracts/locales";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { languageName } from "../../language-name.ts";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { type BrandingData, brandingPath } from "./branding.ts";

type Text = BrandingData["texts"][number];

/** What the home page and the footer say, in each language. */
export function Texts(props: { readonly texts: BrandingData["texts"] }): JSX.Element {
  const [locale, setLocale] = createSignal<Locale>("en");
  const text = (): Text | null => props.texts.find((each) => each.locale === locale()) ?? null;
  return (
    <>
      <LocaleField
        locale={locale()}
        onChange={setLocale}
        hasText={(each) => props.texts.some((written) => written.locale === each)}
      />
      <Show when={{ locale: locale(), text: text() }} keyed>
        {(shown) => <TextForm {...shown} />}
      </Show>
    </>
  );
}

/** The choice of a language, with those marked that have a text. */
export function LocaleField(props: {
  readonly locale: Locale;
  readonly onChange: (locale: Locale) => void;
  readonly hasText: (locale: Locale) => boolean;
}): JSX.Element {
  return (
    <ChoiceField
      label={t("Language")}
      name="locale"
      value={props.locale}
      options={allLocales.map((value) => ({
        value,
        label: props.hasText(value) ? t("{value} (written)", { value: languageName(value) }) : languageName(value),
      }))}
      onInput={({ currentTarget: { value } }) => {
        if (isLocale(value)) {
          props.onChange(value);
        }
      }}
    />
  );
}

const linesOf = (links: Text["links"]): string => links.map(({ label, url }) => `${label} | ${url}`).join("\n");

function linksOf(lines: string): Text["links"] {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.lastIndexOf("|");
      return { label: line.slice(0, Math.max(0, at)).trim(), url: line.slice(at + 1).trim() };
    });
}

function TextForm(props: { readonly locale: Locale; readonly text: Text | null }): JSX.Element {
  const refresh = useRefresh(brandingPath);
  const dir = (): "ltr" | "rtl" => directionOf(props.locale);
  const form = createForm({
    initial: {
      headline: props.text?.headline ?? "",
      sub_line: props.text?.sub_line ?? "",
      links: linesOf(props.text?.links ?? []),
    },
    check: ({ links }) =>
      linksOf(links).length > footerLinksMax
        ? { links: t("There may be up to {footerLinksMax} links.", { footerLinksMax }) }
        : {},
    body: ({ headline, sub_line, links }) => ({
      locale: props.locale,
      headline,
      sub_line,
      links: linksOf(links),
      version: props.text?.version ?? 0,
    }),
    submit: async (_, body) => {
      await apiPost<typeof savedTextResponse>("/backend/admin/branding/text/save/", body);
      showToast(t("{locale}: saved", { locale: languageName(props.locale) }));
      await refresh();
    },
  });
  return (
    <AdminForm form={form} action={t("Save texts")} operation="/backend/admin/branding/text/save/">
      <TextField
        label={t("Headline of the home page")}
        hint={t("Leave it empty for the default.")}
        maxlength="120"
        dir={dir()}
        lang={props.locale}
        {...form.text("headline")}
      />
      <TextArea
        label={t("Line below it")}
        hint={t("Leave it empty for the default.")}
        maxlength="300"
        rows="2"
        dir={dir()}
        lang={props.locale}
        {...form.text("sub_line")}
      />
      <TextArea
        label={t("Links at the end of every public page")}
        hint={t("One per line, such as: Blog | https://blog.example/. A language without links uses the English ones.")}
        rows="4"
        {...form.text("links")}
      />
    </AdminForm>
  );
}
