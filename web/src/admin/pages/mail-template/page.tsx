import { allLocales } from "@sluice/contracts/locales";
import type { mailTemplateResponse, savedMailTemplateResponse } from "@sluice/contracts/mail";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { templateOccasion } from "../mail/template-names.ts";
import styles from "./mail-preview.module.css";
import { MailPreview } from "./mail-preview.tsx";

type Answer = ResponseOf<typeof mailTemplateResponse>;
type Parts = { readonly subject: string; readonly html: string; readonly text: string };

const path = "/backend/admin/mail/template/";

/** One email in one language: its text, and a preview with sample values. */
export function Page(): JSX.Element {
  const params = useParams<{ name: string; locale: string }>();
  useAdminTitle(() => `${params.name}, ${params.locale}`);
  const query = createQuery(() => ({
    queryKey: [path, params.name, params.locale],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof mailTemplateResponse>(path, { query: { name: params.name, locale: params.locale }, signal }),
  }));
  return (
    <>
      <PageHead
        title={`${params.name}, ${params.locale}`}
        text={templateOccasion(params.name)}
        actions={<PageLink href="/admin/mail/?view=templates">{t("All templates")}</PageLink>}
      />
      <nav class={`button-row ${styles["languages"]}`} aria-label={t("Languages of this template")}>
        <For each={allLocales}>
          {(locale) => (
            <PageLink
              href={`/admin/mail/templates/${params.name}/${locale}/`}
              aria-current={locale === params.locale ? "page" : undefined}
            >
              {locale}
            </PageLink>
          )}
        </For>
      </nav>
      <Switch fallback={<LoadingTemplate />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data} keyed>
          {(answer) => <TemplateEditor answer={answer} />}
        </Match>
      </Switch>
    </>
  );
}

function LoadingTemplate(): JSX.Element {
  return (
    <Card title={t("Template")}>
      <LoadingPart size="page" />
    </Card>
  );
}

function TemplateEditor(props: { readonly answer: Answer }): JSX.Element {
  const { template, built_in: builtIn } = props.answer;
  const refresh = useRefresh(path, "/backend/admin/mail/template/list/");
  const form = createForm<Parts>({
    initial: { subject: template.subject, html: template.html, text: template.text },
    body: (values) => {
      const { name, locale, version } = template;
      return {
        ...values,
        name,
        locale,
        version,
      };
    },
    submit: async (_, body) => {
      const saved = await apiPost<typeof savedMailTemplateResponse>("/backend/admin/mail/template/save/", body);
      showToast(t("Saved as version {version}", { version: saved.template.version }));
      await refresh();
    },
  });
  return (
    <div class="card-grid">
      <Card
        title={template.version === 0 ? t("As shipped") : t("Version {version}", { version: template.version })}
        actions={<TakeBuiltIn form={form} builtIn={builtIn} />}
      >
        <AdminForm form={form} operation="/backend/admin/mail/template/save/" action={t("Save template")}>
          <TextField label={t("Subject")} dir="auto" {...form.text("subject")} />
          <TextArea
            label={t("HTML")}
            rows={16}
            spellcheck={false}
            class={`input ${styles["html"]}`}
            {...form.text("html")}
          />
          <TextArea label={t("Plain text")} rows={12} dir="auto" {...form.text("text")} />
        </AdminForm>
        <Variables answer={props.answer} />
      </Card>
      <IfAllowed operation="/backend/admin/mail/template/preview/">
        <MailPreview name={template.name} locale={template.locale} values={form.values()} />
      </IfAllowed>
    </div>
  );
}

function TakeBuiltIn(props: { readonly form: Form<Parts>; readonly builtIn: Parts }): JSX.Element {
  const isSame = (): boolean => {
    const { subject, html, text } = props.form.values();
    return subject === props.builtIn.subject && html === props.builtIn.html && text === props.builtIn.text;
  };
  const take = (): void => {
    props.form.set("subject", props.builtIn.subject);
    props.form.set("html", props.builtIn.html);
    props.form.set("text", props.builtIn.text);
  };
  return (
    <Show when={!isSame()}>
      <ActButton operation="/backend/admin/mail/template/save/" variant="quiet" onClick={take}>
        {t("Restore the shipped text")}
      </ActButton>
    </Show>
  );
}

function Variables(props: { readonly answer: Answer }): JSX.Element {
  return (
    <section aria-label={t("Variables")}>
      <h3>{t("Variables")}</h3>
      <ul class="plain-list button-row">
        <For each={props.answer.variables}>
          {(name) => (
            <li>
              <CopyText text={`{{${name}}}`} label={t("Copy {name}", { name })} />
              <Show when={props.answer.required.includes(name)}>
                <span class="muted"> {t("is required")}</span>
              </Show>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
