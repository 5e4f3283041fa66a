import type { invitationResponse, organisationResponse } from "@sluice/contracts/organisations";
import { useSearchParams } from "@solidjs/router";
import { createMutation, createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { actFor } from "../../acting-for.ts";
import { useConsoleTitle } from "../../console-title.ts";
import { formats } from "../../formats.ts";
import { organisationArea } from "../organisation/messages/messages.ts";

/** The target of the link in an invitation: opening it uses up nothing, the button does. */
export function Page(): JSX.Element {
  const texts = organisationArea.texts();
  useConsoleTitle(() => texts.invitation);
  const [search] = useSearchParams<{ token: string }>();
  const token = (): string => search.token ?? "";
  const query = createQuery(() => ({
    queryKey: ["invitation", token()],
    queryFn: ({ signal }) =>
      apiPost<typeof invitationResponse>("/backend/organisations/invitation/read/", { token: token() }, { signal }),
  }));
  const accept = createMutation(() => ({
    mutationFn: () =>
      apiPost<typeof organisationResponse>("/backend/organisations/invitation/accept/", { token: token() }),
    onSuccess: ({ organisation: { organisation_id, name, role } }) =>
      actFor({ id: String(organisation_id), name, role }, "/console/organisation/"),
  }));
  return (
    <>
      <PageHead title={texts.invitation} />
      <Card>
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.invitation}>
            {(invitation) => (
              <div class="form">
                <p>
                  {fill(texts.invitationText, {
                    name: invitation().invited_by,
                    organisation: invitation().organisation,
                    role: texts.roles[invitation().role],
                  })}
                </p>
                <p class="muted">
                  {texts.roleTexts[invitation().role]} ·{" "}
                  {fill(texts.expires, { date: formats.dateTime(invitation().expires_at) })}
                </p>
                <Show when={accept.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
                <div>
                  <Button variant="primary" isBusy={accept.isPending} onClick={() => accept.mutate()}>
                    {texts.accept}
                  </Button>
                </div>
              </div>
            )}
          </Match>
        </Switch>
      </Card>
    </>
  );
}
