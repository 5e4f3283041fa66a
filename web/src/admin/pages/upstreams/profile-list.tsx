import type { profileListResponse, profileResponse } from "@sluice/contracts/upstream-auth";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { JsonValue } from "../../parts/json-value.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { type Profile, profilePath } from "./profile.ts";
import { ProfileForm } from "./profile-form.tsx";

const columns: readonly Column<Profile>[] = [
  { id: "name", label: t("Name"), cell: (profile) => profile.name, card: "title" },
  { id: "provider", label: t("Provider"), cell: (profile) => profile.provider },
  { id: "auth_type", label: t("Login method"), cell: (profile) => shownWord(profile.auth_type) },
  { id: "status", label: t("Status"), cell: (profile) => <StateWord state={profile.status} />, card: "badge" },
  { id: "base_url", label: t("Address"), cell: (profile) => <code>{profile.base_url}</code> },
  { id: "model_scope", label: t("Models"), cell: (profile) => profile.model_scope.join(", ") || t("all") },
  {
    id: "refresh_check",
    label: t("Refresh"),
    cell: (profile) => (profile.refresh_check === null ? t("not requested") : t("waiting for a person")),
  },
  { id: "updated_at", label: t("Updated"), cell: (profile) => listMoment(profile.updated_at), isHiddenAtFirst: true },
];

/** Every auth profile, without its credential. */
export function ProfileList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const [isAdding, setIsAdding] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: [profilePath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof profileListResponse>(profilePath, { signal }),
  }));
  return (
    <>
      <DataTable
        name="admin-auth-profiles"
        label={t("Auth profiles")}
        columns={columns}
        state={state}
        rows={query.data?.profiles}
        rowId={(profile) => String(profile.id)}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={{
          title: t("No auth profiles yet"),
          text: t("They store how to log in to a provider. They do not affect routing."),
          actions: (
            <ActButton operation="/backend/upstream/auth-profiles/save/" onClick={() => setIsAdding(true)}>
              {t("Add the first profile")}
            </ActButton>
          ),
        }}
        actions={
          <>
            <a class="button" href="/console/upstreams/?profiles">
              {t("View in the console")}
            </a>
            <ActButton
              operation="/backend/upstream/auth-profiles/save/"
              variant="primary"
              onClick={() => setIsAdding(true)}
            >
              {t("Add profile")}
            </ActButton>
          </>
        }
        panel={{ title: (profile) => profile.name, content: (profile) => <ProfilePanel profile={profile} /> }}
      />
      <Dialog isOpen={isAdding()} onClose={() => setIsAdding(false)} title={t("Add an auth profile")}>
        <ProfileForm profile={null} onDone={() => setIsAdding(false)} />
      </Dialog>
    </>
  );
}

function ProfilePanel(props: { readonly profile: Profile }): JSX.Element {
  const [isEditing, setIsEditing] = createSignal(false);
  const action = createAction(profilePath);
  const profile = (): Profile => props.profile;
  const refresh = async (): Promise<string> => {
    await apiPost<typeof profileResponse>("/backend/upstream/auth-profiles/refresh/", { id: profile().id });
    return t("Marked for a manual reconnect");
  };
  return (
    <>
      <div class="button-row">
        <ActButton operation="/backend/upstream/auth-profiles/save/" onClick={() => setIsEditing(true)}>
          {t("Edit profile")}
        </ActButton>
        <ActButton
          operation="/backend/upstream/auth-profiles/refresh/"
          isBusy={action.isBusy()}
          onClick={() => void action.run(refresh)}
        >
          {t("Request refresh")}
        </ActButton>
      </div>
      <Show when={profile().refresh_check !== null}>
        <Notice tone="warn">
          {t(
            "A refresh was requested {refresh_requested_at}. No provider was called: reconnect it by hand and save the new credential.",
            { refresh_requested_at: shownMoment(profile().refresh_requested_at) },
          )}
        </Notice>
      </Show>
      <Facts
        facts={[
          { name: t("Provider"), value: profile().provider },
          { name: t("Login method"), value: shownWord(profile().auth_type) },
          { name: t("Status"), value: <StateWord state={profile().status} /> },
          { name: t("Address"), value: <code>{profile().base_url}</code> },
          { name: t("Models"), value: profile().model_scope.join(", ") || t("all") },
          { name: t("Credential"), value: profile().credential_fields.join(", ") || t("none saved") },
          { name: t("Created"), value: shownMoment(profile().created_at) },
          { name: t("Updated"), value: shownMoment(profile().updated_at) },
        ]}
      />
      <h3>{t("Settings")}</h3>
      <JsonValue value={profile().settings} label={t("Settings")} />
      <Dialog isOpen={isEditing()} onClose={() => setIsEditing(false)} title={t("Edit the auth profile")}>
        <ProfileForm profile={profile()} onDone={() => setIsEditing(false)} />
      </Dialog>
    </>
  );
}
