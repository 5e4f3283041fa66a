import type { ProviderPreset } from "@sluice/contracts/provider-presets";
import { useSearchParams } from "@solidjs/router";
import { createSignal, type JSX, Match, onMount, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createAction, useRefresh } from "../../parts/actions.ts";
import { waitingText } from "../../parts/outcome-text.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { rich, t } from "../../translate.ts";
import { channelPath } from "../upstreams/channel.ts";
import { modelCount } from "./chosen-models.ts";
import { ConnectionForm } from "./connection-form.tsx";
import { createSetup, type ExistingChannel, type Setup } from "./create-setup.ts";
import { ModelChoice } from "./model-choice.tsx";
import { ProviderChoice } from "./provider-choice.tsx";

/** From a provider's key to served, priced and tested models. Nothing is saved before the last step. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Add a provider"));
  const [params] = useSearchParams();
  const [chosen, setChosen] = createSignal<{ readonly preset: ProviderPreset | null } | null>(null);
  const [round, setRound] = createSignal(1);
  const channel = (): ExistingChannel => {
    const { channel: id, name } = params;
    return typeof id === "string" ? { id, name: typeof name === "string" ? name : t("channel {id}", { id }) } : null;
  };
  const restart = (): void => {
    setChosen(null);
    setRound(round() + 1);
  };
  return (
    <>
      <PageHead
        title={channel() === null ? t("Add a provider") : t("Add models to {name}", { name: channel()?.name })}
        text={t("Nothing is saved before the last step. You confirm every price.")}
      />
      <div class="section-stack">
        <Show when={round()} keyed>
          <Switch fallback={<ProviderChoice onChoose={(preset) => setChosen({ preset })} />}>
            <Match when={channel() !== null}>
              <SetupSteps preset={null} channel={channel()} onBack={restart} />
            </Match>
            <Match when={chosen()} keyed>
              {({ preset }) => <SetupSteps preset={preset} channel={null} onBack={restart} />}
            </Match>
          </Switch>
        </Show>
      </div>
    </>
  );
}

function SetupSteps(props: {
  readonly preset: ProviderPreset | null;
  readonly channel: ExistingChannel;
  readonly onBack: () => void;
}): JSX.Element {
  const setup = createSetup(props.preset, props.channel);
  return (
    <Show when={setup.adopted() === null} fallback={<Outcome setup={setup} onAgain={props.onBack} />}>
      <Show when={props.channel === null} fallback={<ListAgain setup={setup} />}>
        <ConnectionForm preset={props.preset} form={setup.form} hasRows={setup.rows() !== null} onBack={props.onBack} />
      </Show>
      <Show when={setup.rows()}>{(rows) => <ModelChoice setup={setup} rows={rows()} channel={props.channel} />}</Show>
    </Show>
  );
}

/** The list of a saved channel, which has its credential already. */
function ListAgain(props: { readonly setup: Setup }): JSX.Element {
  const { form } = props.setup;
  let element: HTMLFormElement | undefined;
  onMount(() => element?.requestSubmit());
  return (
    <Card title={t("The provider's list of models")}>
      <form
        class="form"
        ref={(each) => {
          element = each;
        }}
        onSubmit={form.onSubmit}
        noValidate
      >
        <Show when={form.problem()}>
          {(problem) => <ErrorState title={t("The list of models did not load")} error={problem()} />}
        </Show>
        <Show when={props.setup.rows() === null && !form.isSubmitting()}>
          <TextArea
            label={t("Names of models")}
            hint={t("One on each line, as the provider calls them. With names, the list is not fetched.")}
            optional={t("optional")}
            rows={3}
            spellcheck={false}
            {...form.text("names")}
          />
        </Show>
        <div class="form-actions">
          <Button type="submit" isBusy={form.isSubmitting()}>
            {form.isSubmitting() ? t("Getting the models") : t("Get the models again")}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** What was saved, and where to go from there. */
function Outcome(props: { readonly setup: Setup; readonly onAgain: () => void }): JSX.Element {
  const refresh = useRefresh(channelPath);
  const action = createAction();
  const [isEnabledNow, setIsEnabledNow] = createSignal(false);
  const outcome = () => props.setup.adopted();
  const saved = () => {
    const found = outcome();
    return found !== null && "adopted" in found ? found.adopted : null;
  };
  const waiting = () => {
    const found = outcome();
    return found !== null && "approval" in found ? found.approval : null;
  };
  const enable = async (id: number | string, name: string): Promise<string> => {
    await apiPost("/backend/admin/channel/enable/", { channel_ids: [id] });
    setIsEnabledNow(true);
    await refresh();
    return t("{name} was enabled", { name });
  };
  return (
    <>
      <Show when={waiting()}>{(approval) => <Notice tone="warn">{waitingText(approval())}</Notice>}</Show>
      <Show when={saved()}>
        {(adopted) => (
          <Card title={t("{channel_name} is saved", { channel_name: adopted().channel_name })}>
            <div class="section-stack">
              <Show
                when={adopted().channel_status === "enabled" || isEnabledNow()}
                fallback={
                  <Notice tone="warn">
                    <span>{t("The channel is disabled, so its models get no calls from it.")}</span>{" "}
                    <Button
                      isBusy={action.isBusy()}
                      onClick={() => void action.run(() => enable(adopted().channel_id, adopted().channel_name))}
                    >
                      {t("Enable it")}
                    </Button>
                  </Notice>
                }
              >
                <p>
                  {rich("It is enabled and serves {models} more, {new_models} of them new in the catalog.", {
                    models: modelCount(adopted().models.length),
                    new_models: adopted().new_models.length,
                  })}
                </p>
              </Show>
              <div class="button-row">
                <PageLink
                  class="button"
                  data-variant="primary"
                  href={`/admin/upstreams/?q=${encodeURIComponent(adopted().channel_name)}&open=${adopted().channel_id}`}
                >
                  {t("Open the channel")}
                </PageLink>
                <PageLink class="button" href="/admin/models/">
                  {t("Models and prices")}
                </PageLink>
              </div>
            </div>
          </Card>
        )}
      </Show>
      <div class="button-row">
        <Button onClick={() => props.onAgain()}>{t("Add another")}</Button>
      </div>
    </>
  );
}
