import type { userList } from "@sluice/contracts/admin-lists/accounts";
import type { ListResponse, RowOf } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { t } from "../../translate.ts";

type User = RowOf<typeof userList>;

const path = "/backend/admin/user/list/";
const shownMax = 5;

/** Finds a user by address, key or id. */
export function UserPicker(props: { readonly onPick: (user: User) => void }): JSX.Element {
  const [words, setWords] = createSignal("");
  const query = createQuery(() => ({
    queryKey: [path, words()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(path, { query: { q: words(), limit: 25 }, signal }) as Promise<ListResponse<User>>,
    enabled: words() !== "",
  }));
  return (
    <div class="section-stack">
      <TextField
        label={t("Find the user")}
        hint={t("Start of an e-mail address or API key, or an ID.")}
        type="search"
        data-search=""
        onChange={(event) => setWords(event.currentTarget.value.trim())}
      />
      <Show when={query.isError}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Show>
      <Show when={query.data?.rows}>
        {(rows) => (
          <div class="button-row" role="status">
            <Show when={rows().length > 0} fallback={<span class="muted">{t("No users found.")}</span>}>
              <For each={rows().slice(0, shownMax)}>
                {(user) => (
                  <Button onClick={() => props.onPick(user)}>
                    {user.email}, {formats.quota(user.remaining)}
                  </Button>
                )}
              </For>
            </Show>
          </div>
        )}
      </Show>
    </div>
  );
}
