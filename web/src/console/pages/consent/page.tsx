import type { consentsResponse } from "@sluice/contracts/consents";
import { directionOf, type Locale } from "@sluice/contracts/locales";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createMutation, createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { ApiError, apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useConsoleTitle } from "../../console-title.ts";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { logOut } from "../../log-out.ts";
import { createMeQuery } from "../../parts/queries.ts";
import { ClosingCard } from "../account/closing-card.tsx";
import { DataCard } from "../account/data-card.tsx";
import styles from "./consent.module.css";
import { LegalText } from "./legal-text.tsx";
import { consentArea } from "./messages/messages.ts";

type Asked = ResponseOf<typeof consentsResponse>["asked"][number];

const path = "/backend/auth/consents/";

/** What has to be accepted before anything else: the texts, what is different in them, and the ways out for a user who declines. */
export function Page(): JSX.Element {
  const texts = consentArea.texts();
  useConsoleTitle(() => texts.title);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }) => apiGet<typeof consentsResponse>(path, { signal }),
  }));
  return (
    <>
      <PageHead title={texts.title} />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.asked}>
          {(asked) => <Question asked={asked()} onChanged={() => void query.refetch()} />}
        </Match>
      </Switch>
    </>
  );
}

function Question(props: { readonly asked: readonly Asked[]; readonly onChanged: () => void }): JSX.Element {
  const texts = consentArea.texts();
  const [search] = useSearchParams<{ next: string }>();
  const [isDeclined, setIsDeclined] = createSignal(false);
  const accept = createMutation(() => ({
    mutationFn: () =>
      apiPost(`${path}accept/`, {
        accepts: props.asked.map(({ page, edition, locale, version }) => ({ page, edition, locale, version })),
        next: search.next ?? "",
      }),
    // The server opens what the visitor was on the way to, now that nothing is left to accept.
    onSuccess: () => location.reload(),
    onError: (error) => {
      if (error instanceof ApiError && error.code === "version_conflict") {
        props.onChanged();
      }
    },
  }));
  const isFirst = (): boolean => props.asked.every(({ before }) => before === null);
  return (
    <>
      <p>{isFirst() ? texts.textFirst : texts.text}</p>
      <For each={props.asked}>{(asked) => <AskedText asked={asked} />}</For>
      <Show when={accept.error}>{(error) => <ErrorState error={error()} />}</Show>
      <div class="form-actions">
        <Button variant="primary" isBusy={accept.isPending} onClick={() => accept.mutate()}>
          {texts.accept}
        </Button>
        <Button variant="quiet" aria-expanded={isDeclined()} onClick={() => setIsDeclined(!isDeclined())}>
          {texts.decline}
        </Button>
      </div>
      <Show when={isDeclined()}>
        <WaysOut />
      </Show>
    </>
  );
}

function AskedText(props: { readonly asked: Asked }): JSX.Element {
  const texts = consentArea.texts();
  const title = (): string => texts.pages[props.asked.page];
  const version = (): string => {
    const { version: number, effective_on } = props.asked;
    return fill(texts.version, { version: number, date: formats.date(`${effective_on}T00:00:00.000Z`) });
  };
  return (
    <Card
      title={title()}
      actions={
        <a href={siteAddress(props.asked.page)} target="_blank" rel="noopener">
          {texts.asPage}
        </a>
      }
    >
      <p class="muted">{version()}</p>
      <Show when={props.asked.locale !== consoleLocale}>
        <p class="muted">{texts.otherLanguage}</p>
      </Show>
      <Show when={props.asked.changes}>
        {(changes) => (
          <Notice tone="warn">
            <div>
              <strong>{texts.changes}</strong>
              <p class={styles["changes"]} lang={props.asked.locale} dir={directionOf(props.asked.locale)}>
                {changes()}
              </p>
            </div>
          </Notice>
        )}
      </Show>
      <ScrolledText label={`${title()}: ${version()}`} locale={props.asked.locale} html={props.asked.html} />
      <Show when={props.asked.before}>
        {(before) => (
          <details>
            <summary>{fill(texts.before, { date: formats.date(before().accepted_at) })}</summary>
            <ScrolledText
              label={`${title()}: ${fill(texts.before, { date: formats.date(before().accepted_at) })}`}
              locale={before().locale}
              html={before().html}
            />
          </details>
        )}
      </Show>
    </Card>
  );
}

function ScrolledText(props: { readonly label: string; readonly locale: Locale; readonly html: string }): JSX.Element {
  return (
    <section class={styles["text"]} aria-label={props.label} tabindex="0">
      <LegalText locale={props.locale} html={props.html} />
    </section>
  );
}

/** A user who does not accept can decide later, download the data, or close the account. */
function WaysOut(): JSX.Element {
  const texts = consentArea.texts();
  const me = createMeQuery();
  return (
    <>
      <p>{texts.declined}</p>
      <div class="form-actions">
        <Button onClick={() => void logOut()}>{texts.logOut}</Button>
      </div>
      <Show when={me.data?.user}>
        {(user) => (
          <>
            <DataCard user={user()} />
            <ClosingCard user={user()} />
          </>
        )}
      </Show>
    </>
  );
}

const siteAddress = (page: Asked["page"]): string =>
  `${consoleLocale === "en" ? "" : `/${consoleLocale}`}/legal/${page}/`;
