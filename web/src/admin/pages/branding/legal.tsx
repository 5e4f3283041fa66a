import { type LegalPage, legalPages } from "@sluice/contracts/brand";
import type { legalResponse, previewedLegalResponse, savedLegalResponse } from "@sluice/contracts/branding";
import { directionOf, type Locale } from "@sluice/contracts/locales";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { languageName } from "../../language-name.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction, useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm } from "../../parts/form-parts.tsx";
import { MarkupFrame } from "../../parts/markup-frame.tsx";
import { t } from "../../translate.ts";
import { type BrandingData, brandingPath } from "./branding.ts";
import { ConsentFields, Editions, OutdatedNotice, type Stored, Versions } from "./legal-editions.tsx";
import { LocaleField } from "./texts.tsx";

type Place = { readonly page: LegalPage; readonly locale: Locale };

const legalPath = "/backend/admin/branding/legal/";
const pageNames: Readonly<Record<LegalPage, string>> = {
  terms: t("Terms of service"),
  privacy: t("Privacy policy"),
  imprint: t("Legal notice"),
};

const isPage = (text: string): text is LegalPage => legalPages.some((page) => page === text);

/** The legal pages that the operator writes here, in each language. */
export function Legal(props: { readonly legal: BrandingData["legal"] }): JSX.Element {
  const [page, setPage] = createSignal<LegalPage>("terms");
  const [locale, setLocale] = createSignal<Locale>("en");
  const place = (): Place => ({ page: page(), locale: locale() });
  const query = createQuery(() => ({
    queryKey: [legalPath, page(), locale()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof legalResponse>(`${legalPath}?page=${page()}&locale=${locale()}`, { signal }),
  }));
  const hasText = (each: Locale): boolean =>
    props.legal.some((text) => text.page === page() && text.locale === each && !text.is_withdrawn);
  return (
    <>
      <p class="muted">
        {t(
          "Linked at the end of every public page and below the registration form, unless the settings name a URL of another page. A visitor whose language is missing sees the English text, or the first that there is.",
        )}
      </p>
      <div class="field-row">
        <ChoiceField
          label={t("Page")}
          name="page"
          value={page()}
          options={legalPages.map((value) => ({ value, label: pageNames[value] }))}
          onInput={({ currentTarget: { value } }) => {
            if (isPage(value)) {
              setPage(value);
            }
          }}
        />
        <LocaleField locale={locale()} onChange={setLocale} hasText={hasText} />
      </div>
      <Switch fallback={<LoadingPart size="card" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data} keyed>
          {(stored) => <LegalForm place={place()} stored={stored} />}
        </Match>
      </Switch>
    </>
  );
}

const today = (): string => new Date().toISOString().slice(0, 10);

function LegalForm(props: { readonly place: Place; readonly stored: Stored }): JSX.Element {
  const { place, stored } = props;
  const refresh = useRefresh(brandingPath, legalPath);
  const preview = createAction();
  const withdrawal = createAction(brandingPath, legalPath);
  const [shown, setShown] = createSignal<string | null>(null);
  const newest = stored.versions[0];
  // What an earlier edition said of itself is no longer news.
  const changesNow = newest?.edition === stored.edition ? stored.changes : "";
  const bodyOf = (markdown: string, effective_on: string, { asks = false, changes = "" } = {}) => ({
    ...{ ...place, markdown, effective_on, changes },
    asks_consent: asks,
    version: newest?.version ?? 0,
  });
  const save = async (body: ReturnType<typeof bodyOf>): Promise<void> => {
    await apiPost<typeof savedLegalResponse>(`${legalPath}save/`, body);
  };
  const form = createForm({
    initial: { markdown: stored.markdown, effective_on: today(), kind: "correction", changes: changesNow },
    check: ({ markdown, effective_on, kind, changes }) => ({
      ...(kind === "consent" && stored.edition > 0 && changes.trim() === ""
        ? { changes: t("Describe what is different from what users have accepted.") }
        : {}),
      ...(markdown.trim() === "" ? { markdown: t("Enter the text.") } : {}),
      ...(/^\d{4}-\d\d-\d\d$/.test(effective_on) ? {} : { effective_on: t("Enter a day.") }),
    }),
    body: ({ markdown, effective_on, kind, changes }) =>
      bodyOf(markdown, effective_on, { asks: kind === "consent", changes }),
    submit: async ({ markdown, effective_on, kind, changes }) => {
      await save(bodyOf(markdown, effective_on, { asks: kind === "consent", changes }));
      showToast(
        t("{page}, {locale}: version {version}", {
          page: pageNames[place.page],
          locale: languageName(place.locale),
          version: (newest?.version ?? 0) + 1,
        }),
      );
      await refresh();
    },
  });
  const showPreview = async (): Promise<string> => {
    const { html } = await apiPost<typeof previewedLegalResponse>(`${legalPath}preview/`, {
      markdown: form.values().markdown,
    });
    setShown(html);
    return t("Preview shown");
  };
  const withdraw = async (): Promise<string> => {
    await save(bodyOf("", today()));
    return t("{page}, {locale}: withdrawn", { page: pageNames[place.page], locale: languageName(place.locale) });
  };
  return (
    <>
      <OutdatedNotice stored={stored} />
      <AdminForm form={form} action={t("Publish this version")} operation="/backend/admin/branding/legal/save/">
        <TextArea
          label={t("Text")}
          hint={t(
            "Markdown: headings, lists, tables, links, emphasis. HTML is shown as it is typed, and images are left out. {brand} becomes the name of your service.",
            { brand: "{brand}" },
          )}
          rows="14"
          lang={place.locale}
          dir={directionOf(place.locale)}
          {...form.text("markdown")}
        />
        <TextField label={t("In force since")} type="date" {...form.text("effective_on")} />
        <Show when={place.page !== "imprint"}>
          <ConsentFields
            locale={place.locale}
            edition={stored.edition}
            asks={form.values().kind === "consent"}
            kind={form.text("kind")}
            changes={form.text("changes")}
          />
        </Show>
      </AdminForm>
      <div class="button-row">
        <ActButton
          operation="/backend/admin/branding/legal/preview/"
          isBusy={preview.isBusy()}
          onClick={() => void preview.run(showPreview)}
        >
          {t("Preview")}
        </ActButton>
        <Show when={newest !== undefined && !newest.is_withdrawn}>
          <ActButton
            operation="/backend/admin/branding/legal/save/"
            variant="quiet"
            isBusy={withdrawal.isBusy()}
            onClick={() => void withdrawal.run(withdraw)}
          >
            {t("Withdraw in this language")}
          </ActButton>
        </Show>
      </div>
      <Editions page={place.page} stored={stored} />
      <Versions versions={stored.versions} />
      <Dialog isOpen={shown() !== null} onClose={() => setShown(null)} title={pageNames[place.page]} size="wide">
        <MarkupFrame
          title={t("Preview of the page")}
          html={`<!doctype html><html lang="${place.locale}" dir="${directionOf(place.locale)}"><body style="font:16px/1.5 sans-serif">${shown() ?? ""}</body></html>`}
        />
      </Dialog>
    </>
  );
}
