import type { tokenListResponse, tokenResponse } from "@sluice/contracts/management-tokens";
import type { AdminTokenScope } from "@sluice/contracts/token-scopes";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CodeBlock } from "../../../kit/code.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { createAction } from "../../parts/actions.ts";
import { createMe } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownMoment, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { CreateTokenDialog } from "./create-token.tsx";
import { scopeTexts, type Token, tokensPath } from "./token.ts";
import "./tokens.css";

const tones: Readonly<Record<Token["status"], Tone>> = { active: "ok", expired: "warn", revoked: "neutral" };

/** The tokens with which the admin's programs do what the admin may do. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Access tokens"));
  const me = createMe();
  const action = createAction(tokensPath);
  const [isCreating, setIsCreating] = createSignal(false);
  const [secret, setSecret] = createSignal<string | null>(null);
  const [asked, setAsked] = createSignal<Token | null>(null);
  const query = createQuery(() => ({
    queryKey: [tokensPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof tokenListResponse>(tokensPath, { signal }),
  }));
  const create = (): JSX.Element => (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      {t("Create token")}
    </Button>
  );
  const revoke = async (token: Token): Promise<void> => {
    await action.run(async () => {
      await apiPost<typeof tokenResponse>("/backend/admin/token/revoke/", { token_id: token.token_id });
      return t("The token {name} was revoked.", { name: token.name });
    });
    setAsked(null);
  };
  return (
    <>
      <PageHead
        title={t("Access tokens")}
        text={t(
          "A program with one of your tokens does what you may do at that moment, as far as its scopes go. No token can change logins, rights, secrets or settings, or read contents of calls.",
        )}
        actions={create()}
      />
      <Card
        title={t("Your tokens")}
        actions={
          <a href="/backend/docs/" rel="external">
            {t("What programs can call")}
          </a>
        }
      >
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.tokens.length === 0}>
            <EmptyState title={t("No access tokens")} actions={create()}>
              {t("Create one for a script or a command.")}
            </EmptyState>
          </Match>
          <Match when={query.data?.tokens}>{(tokens) => <TokenTable tokens={tokens()} onRevoke={setAsked} />}</Match>
        </Switch>
      </Card>
      <CreateTokenDialog
        isOpen={isCreating()}
        isSuper={me.admin()?.is_super === true}
        onClose={() => setIsCreating(false)}
        onMade={(made) => {
          setIsCreating(false);
          setSecret(made);
          void query.refetch();
        }}
      />
      <MadeDialog secret={secret()} onClose={() => setSecret(null)} />
      <ConfirmDialog
        isOpen={asked() !== null}
        onClose={() => setAsked(null)}
        title={t("Revoke this token?")}
        action={t("Revoke")}
        isBusy={action.isBusy()}
        onConfirm={() => {
          const token = asked();
          if (token !== null) {
            void revoke(token);
          }
        }}
      >
        {t("Programs that use “{name}” are refused from now on. This can't be undone.", { name: asked()?.name ?? "" })}
      </ConfirmDialog>
    </>
  );
}

function TokenTable(props: {
  readonly tokens: readonly Token[];
  readonly onRevoke: (token: Token) => void;
}): JSX.Element {
  const names = (scopes: readonly string[]): string =>
    scopes.map((scope) => scopeTexts[scope as AdminTokenScope]?.label ?? scope).join(", ");
  return (
    <SimpleTable
      label={t("Access tokens")}
      rows={props.tokens}
      columns={[
        { label: t("Name"), cell: (row) => <bdi>{row.name}</bdi> },
        { label: t("Token"), cell: (row) => <code>{`sl-mgmt-…${row.hint}`}</code> },
        { label: t("State"), cell: (row) => <Status tone={tones[row.status]}>{shownWord(row.status)}</Status> },
        { label: t("May do"), cell: (row) => names(row.scopes) },
        { label: t("Ends"), cell: (row) => (row.status === "revoked" ? dash : listMoment(row.expires_at)) },
        {
          label: t("Last used"),
          cell: (row) =>
            row.last_used_at === null ? t("never") : `${shownMoment(row.last_used_at)}, ${row.last_used_ip}`,
        },
        {
          label: t("Revoke"),
          cell: (row) => (
            <Show when={row.status === "active"} fallback={dash}>
              <Button
                variant="quiet"
                aria-label={t("Revoke {name}", { name: row.name })}
                onClick={() => props.onRevoke(row)}
              >
                {t("Revoke")}
              </Button>
            </Show>
          ),
        },
      ]}
    />
  );
}

/** The token is shown only here: nothing stores it. */
function MadeDialog(props: { readonly secret: string | null; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.secret !== null} title={t("Your new access token")} onClose={props.onClose}>
      <Show when={props.secret}>
        {(secret) => (
          <>
            <Notice tone="warn">
              {t("Copy it now: it is shown only once. Programs send it as “Authorization: Bearer”.")}
            </Notice>
            <CodeBlock code={secret()} label={t("Access token")} />
          </>
        )}
      </Show>
      <div class="dialog-actions">
        <Button variant="primary" onClick={props.onClose}>
          {t("I have saved it")}
        </Button>
      </div>
    </Dialog>
  );
}
