import type { tokenListResponse } from "@sluice/contracts/management-tokens";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { ConsoleHead } from "../../console-head.tsx";
import { CreateTokenDialog } from "./create-token.tsx";
import { MadeTokenDialog } from "./made-token.tsx";
import { tokensArea } from "./messages/messages.ts";
import { tokensPath } from "./token.ts";
import { TokenList } from "./token-list.tsx";

/** The tokens with which programs manage the account. */
export function Page(): JSX.Element {
  const texts = tokensArea.texts();
  const client = useQueryClient();
  const [isCreating, setIsCreating] = createSignal(false);
  const [secret, setSecret] = createSignal<string | null>(null);
  const query = createQuery(() => ({
    queryKey: [tokensPath],
    queryFn: ({ signal }) => apiGet<typeof tokenListResponse>(tokensPath, { signal }),
  }));
  const changed = (): void => {
    void client.invalidateQueries({ queryKey: [tokensPath] });
  };
  const create = (): JSX.Element => (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Icon name="plus" />
      {texts.create}
    </Button>
  );
  return (
    <>
      <ConsoleHead texts={texts} actions={create()} />
      <Card
        title={texts.list}
        actions={
          <a href="/backend/docs/" rel="external">
            {texts.docs}
          </a>
        }
      >
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.tokens.length === 0}>
            <EmptyState title={texts.emptyTitle} actions={create()}>
              {texts.emptyText}
            </EmptyState>
          </Match>
          <Match when={query.data?.tokens}>{(tokens) => <TokenList tokens={tokens()} onChanged={changed} />}</Match>
        </Switch>
      </Card>
      <CreateTokenDialog
        isOpen={isCreating()}
        onClose={() => setIsCreating(false)}
        onMade={(made) => {
          setIsCreating(false);
          setSecret(made);
          changed();
        }}
      />
      <MadeTokenDialog secret={secret()} onClose={() => setSecret(null)} />
    </>
  );
}
