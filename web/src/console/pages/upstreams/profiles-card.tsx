import type { profileListResponse, profileResponse } from "@sluice/contracts/upstream-auth";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { ApiError, apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { PlainTable } from "../../parts/plain-table.tsx";
import { upstreamsArea } from "./messages/messages.ts";

type Profile = ResponseOf<typeof profileListResponse>["profiles"][number];

const unauthorized = 401;

/** The profiles, which only admins see: others get an explanation on request only. */
export function ProfilesCard(): JSX.Element {
  const texts = upstreamsArea.texts();
  const [isAsked, setIsAsked] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: ["auth-profiles"],
    queryFn: ({ signal }) =>
      apiGet<typeof profileListResponse>("/backend/upstream/auth-profiles/list/", { signal, isOtherLogin: true }),
    enabled: isAsked(),
  }));
  const isRefused = (): boolean => query.error instanceof ApiError && query.error.status === unauthorized;
  return (
    <Card title={texts.profiles}>
      <p class="muted">{texts.profilesText}</p>
      <Show
        when={isAsked()}
        fallback={
          <div>
            <Button onClick={() => setIsAsked(true)}>{texts.show}</Button>
          </div>
        }
      >
        <Switch fallback={<LoadingPart />}>
          <Match when={isRefused()}>
            <Notice tone="info">
              {texts.adminOnly}
              <a href="/admin/">{texts.adminLogin}</a>
              <Button onClick={() => void query.refetch()}>{texts.show}</Button>
            </Notice>
          </Match>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.profiles.length === 0}>
            <p>{texts.noProfiles}</p>
          </Match>
          <Match when={query.data?.profiles}>{(profiles) => <ProfileTable profiles={profiles()} />}</Match>
        </Switch>
      </Show>
    </Card>
  );
}

function ProfileTable(props: { readonly profiles: readonly Profile[] }): JSX.Element {
  const texts = upstreamsArea.texts();
  const client = useQueryClient();
  const refresh = createMutation(() => ({
    mutationFn: (id: Profile["id"]) =>
      apiPost<typeof profileResponse>("/backend/upstream/auth-profiles/refresh/", { id }, { isOtherLogin: true }),
    onSuccess: () => {
      showToast(texts.refreshed, "info");
      void client.invalidateQueries({ queryKey: ["auth-profiles"] });
    },
  }));
  const marker = (profile: Profile): string =>
    profile.refresh_check === null || profile.refresh_requested_at === null
      ? texts.never
      : fill(texts.pending, { time: formats.dateTime(profile.refresh_requested_at) });
  return (
    <>
      <Show when={refresh.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <PlainTable
        label={texts.name}
        rows={props.profiles}
        columns={[
          { id: "name", label: texts.name, card: "title", cell: ({ name }) => <bdi>{name}</bdi> },
          { id: "owner", label: texts.owner, cell: ({ provider }) => <bdi>{provider}</bdi> },
          { id: "type", label: texts.authType, cell: ({ auth_type }) => <code>{auth_type}</code> },
          {
            id: "status",
            label: texts.status,
            card: "badge",
            cell: ({ status }) => <Status tone="neutral">{status}</Status>,
          },
          {
            id: "scope",
            label: texts.scope,
            cell: ({ model_scope: scope }) => <bdi>{scope.length === 0 ? texts.allModels : scope.join(", ")}</bdi>,
          },
          {
            id: "refresh",
            label: texts.refresh,
            cell: (profile) => (
              <>
                <bdi>{marker(profile)}</bdi>{" "}
                <Button
                  aria-label={`${texts.refresh}: ${profile.name}`}
                  isBusy={refresh.isPending}
                  onClick={() => refresh.mutate(profile.id)}
                >
                  {texts.refresh}
                </Button>
              </>
            ),
          },
        ]}
      />
    </>
  );
}
