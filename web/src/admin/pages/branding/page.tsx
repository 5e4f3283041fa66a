import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createMe } from "../../parts/rights.tsx";
import { createSettings } from "../../parts/second-person.tsx";
import { type Setting, SettingForm } from "../../parts/setting-form.tsx";
import { t } from "../../translate.ts";
import { titleOf } from "../settings/setting-titles.ts";
import { type BrandingData, brandingPath } from "./branding.ts";
import { Colour } from "./colour.tsx";
import { Images } from "./images.tsx";
import { Legal } from "./legal.tsx";
import { Texts } from "./texts.tsx";

const nameSettings = ["brand.name", "brand.support_address", "brand.mail_sender", "brand.powered_by"];

/** The operator's own face: name, logo, colour, texts, legal pages. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Branding"));
  const me = createMe();
  const settings = createSettings();
  const query = createQuery(() => ({
    queryKey: [brandingPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet(brandingPath, { signal }) as Promise<BrandingData>,
  }));
  const find = (name: string): Setting | undefined => settings.data?.settings.find((each) => each.name === name);
  const failure = (): { readonly error: Error; readonly retry: () => void } | null => {
    const failed = [query, settings].filter(({ isError, data }) => isError && data === undefined);
    const error = failed[0]?.error ?? null;
    return error === null ? null : { error, retry: () => void Promise.all(failed.map((each) => each.refetch())) };
  };
  return (
    <>
      <PageHead
        title={t("Branding")}
        text={t(
          "How pages and e-mails look. Changes take effect within seconds, in every instance, and are recorded in the audit log.",
        )}
      />
      <Show when={me.admin()?.is_super === false}>
        <Notice tone="warn">{t("Only super-admins can change the branding.")}</Notice>
      </Show>
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={failure()}>{(each) => <ErrorState error={each().error} onRetry={each().retry} />}</Match>
        <Match when={settings.data !== undefined && query.data}>
          {(data) => (
            <>
              <Card title={t("Logo and images")}>
                <Images images={data().images} mayChange={me.isSuper()} />
                <Show when={find("brand.logo_alone")} keyed>
                  {(setting) => <SettingForm setting={setting} title={titleOf(setting)} mayChange={me.isSuper()} />}
                </Show>
              </Card>
              <Card title={t("Colour")}>
                <Show when={find("brand.accent")} keyed>
                  {(setting) => (
                    <Colour
                      setting={setting}
                      name={String(find("brand.name")?.value ?? "")}
                      images={data().images}
                      mayChange={me.isSuper()}
                    />
                  )}
                </Show>
              </Card>
              <Card title={t("Names")}>
                <For each={nameSettings}>
                  {(name) => (
                    <Show when={find(name)} keyed>
                      {(setting) => <SettingForm setting={setting} title={titleOf(setting)} mayChange={me.isSuper()} />}
                    </Show>
                  )}
                </For>
              </Card>
              <Card title={t("Home page and footer")}>
                <Texts texts={data().texts} />
              </Card>
              <Card title={t("Legal pages")}>
                <Legal legal={data().legal} />
              </Card>
            </>
          )}
        </Match>
      </Switch>
    </>
  );
}
