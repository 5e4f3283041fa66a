import type { clearedCacheOutput } from "@sluice/contracts/response-cache";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { createMe } from "../../parts/rights.tsx";
import { createSettings, SecondPersonNotice } from "../../parts/second-person.tsx";
import { type Setting, SettingForm } from "../../parts/setting-form.tsx";
import { shownWord } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { titleOf } from "./setting-titles.ts";

const areaTitles: Readonly<Record<string, string>> = {
  brand: t("Brand"),
  announcement: t("Announcement"),
  trace: t("Trace"),
  cache: t("Response cache"),
  analytics: t("Analytics"),
  accounts: t("Logins and registration"),
  models: t("Models"),
  status: t("Status page"),
  events: t("Events"),
  payments: t("Payments"),
  referrals: t("Referrals"),
  admin: t("Rights of admins"),
};

/** What can be changed while the service runs, by area. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Settings"));
  const me = createMe();
  const query = createSettings();
  return (
    <>
      <PageHead
        title={t("Settings")}
        text={t("Changes take effect immediately, in every instance, and are recorded in the audit log.")}
      />
      <Show when={me.admin()?.is_super === false}>
        <Notice tone="warn">
          <span>
            {rich(
              "Only super-admins can change settings. {username} is logged in as an admin without that right and can only view them.",
              { username: <strong>{me.admin()?.username}</strong> },
            )}
          </span>
        </Notice>
      </Show>
      <Switch fallback={<LoadingSettings />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(answer) => (
            <For each={areasOf(answer().settings)}>
              {([area, names]) => (
                <Card title={areaTitles[area] ?? shownWord(area)}>
                  <Show when={area === "admin"}>
                    <SecondPersonNotice what={t("What lets one admin do more than now waits")} />
                  </Show>
                  <Show when={area === "cache"}>
                    <ClearCache />
                  </Show>
                  <For each={names}>
                    {(name) => (
                      <Show when={answer().settings.find((setting) => setting.name === name)} keyed>
                        {(setting) => (
                          <SettingForm setting={setting} title={titleOf(setting)} mayChange={me.isSuper()} />
                        )}
                      </Show>
                    )}
                  </For>
                </Card>
              )}
            </For>
          )}
        </Match>
      </Switch>
    </>
  );
}

/** Every admin may forget what is stored: it costs no more than some calls to providers. */
function ClearCache(): JSX.Element {
  const action = createAction();
  const clear = async (): Promise<string> => {
    await apiPost<typeof clearedCacheOutput>("/backend/admin/response-cache/clear/", {});
    return t("The response cache is empty");
  };
  return (
    <div class="button-row">
      <ActButton
        operation="/backend/admin/response-cache/clear/"
        isBusy={action.isBusy()}
        onClick={() => void action.run(clear)}
      >
        {t("Clear the cache")}
      </ActButton>
    </div>
  );
}

function LoadingSettings(): JSX.Element {
  return (
    <Card title={t("Settings")}>
      <LoadingPart size="page" />
    </Card>
  );
}

/** The names of each area, in the order in which the service lists them. */
function areasOf(settings: readonly Setting[]): readonly (readonly [string, readonly string[]])[] {
  const areas = new Map<string, string[]>();
  for (const { name } of settings) {
    const area = name.split(".")[0] ?? name;
    areas.set(area, [...(areas.get(area) ?? []), name]);
  }
  return [...areas];
}
