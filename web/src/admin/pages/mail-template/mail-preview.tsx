import type { mailPreviewResponse } from "@sluice/contracts/mail";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { MarkupFrame } from "../../parts/markup-frame.tsx";
import { t } from "../../translate.ts";

const path = "/backend/admin/mail/template/preview/";

type Parts = { readonly subject: string; readonly html: string; readonly text: string };

/** The email as the service would send it, with sample values; the current input is shown on request. */
export function MailPreview(props: {
  readonly name: string;
  readonly locale: string;
  readonly values: Parts;
}): JSX.Element {
  const [shown, setShown] = createSignal(props.values);
  const query = createQuery(() => ({
    queryKey: [path, props.name, props.locale, shown()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiPost<typeof mailPreviewResponse>(path, { name: props.name, locale: props.locale, ...shown() }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  }));
  return (
    <Card
      title={t("Preview with sample values")}
      actions={
        <Button isBusy={query.isFetching} disabled={props.values === shown()} onClick={() => setShown(props.values)}>
          {t("Update preview")}
        </Button>
      }
    >
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError}>
          <ErrorState
            title={t("The preview failed")}
            error={query.error}
            onRetry={() => (props.values === shown() ? void query.refetch() : setShown(props.values))}
          />
        </Match>
        <Match when={query.data?.preview}>
          {(preview) => (
            <>
              <Facts facts={[{ name: t("Subject"), value: <bdi>{preview().subject}</bdi> }]} />
              <MarkupFrame title={t("Preview of the e-mail")} html={preview().html} />
              <h3>{t("Plain text")}</h3>
              <section class="code-value" tabindex="0" aria-label={t("Plain text")} dir="auto">
                {preview().text}
              </section>
            </>
          )}
        </Match>
      </Switch>
    </Card>
  );
}
