import { adoptedModelsMax } from "@sluice/contracts/proposal-limits";
import { createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { FieldRow } from "../../parts/form-parts.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { rich, t } from "../../translate.ts";
import { isReady, type ModelRow, modelCount } from "./chosen-models.ts";
import type { ExistingChannel, Setup } from "./create-setup.ts";
import { ModelItem } from "./model-item.tsx";
import styles from "./provider.module.css";

/** A longer list would be slow to draw, and nobody reads it. */
const shownMax = 200;

/** The models of the list: which ones are taken over, tested and saved. */
export function ModelChoice(props: {
  readonly setup: Setup;
  readonly rows: readonly ModelRow[];
  readonly channel: ExistingChannel;
}): JSX.Element {
  const [sought, setSought] = createSignal("");
  const found = () => {
    const text = sought().trim().toLowerCase();
    const indexes = props.rows.map((_, index) => index);
    return indexes.filter((index) => props.rows[index]?.proposal.upstream_model.toLowerCase().includes(text));
  };
  const chosen = () => props.rows.filter(({ isChosen }) => isChosen).length;
  const priced = () =>
    found()
      .filter((index) => isReady(props.rows[index] as ModelRow))
      .slice(0, adoptedModelsMax);
  const choose = (indexes: readonly number[], isChosen: boolean): void => {
    for (const index of indexes) {
      props.setup.change(index, { isChosen });
    }
  };
  return (
    <Card title={t("Choose the models")}>
      <Show
        when={props.rows.length > 0}
        fallback={<EmptyState title={t("The provider lists no model that calls can use")} />}
      >
        <div class="section-stack" tabindex="-1" ref={(element) => queueMicrotask(() => beginWith(element))}>
          <div class="table-bar">
            <TextField
              label={t("Find a model")}
              type="search"
              autocomplete="off"
              value={sought()}
              onInput={(event) => setSought(event.currentTarget.value)}
            />
            <Button onClick={() => choose(priced(), true)}>
              {rich("Choose all with a price ({priced})", { priced: priced().length })}
            </Button>
            <Button
              disabled={chosen() === 0}
              onClick={() =>
                choose(
                  props.rows.map((_, index) => index),
                  false,
                )
              }
            >
              {t("Choose none")}
            </Button>
          </div>
          <p class="muted" role="status">
            {rich("{chosen} of {rows} chosen", {
              chosen: formats.number(chosen()),
              rows: formats.number(props.rows.length),
            })}
            <Show when={found().length > shownMax}>
              {rich("; the first {max} are shown, search to see others", { max: shownMax })}
            </Show>
            <Show when={props.setup.leftOut() > 0}>
              {rich("; {leftOut} that no call can use are left out", {
                leftOut: formats.number(props.setup.leftOut()),
              })}
            </Show>
          </p>
          <ul class={styles["models"]} aria-label={t("Models")}>
            <For each={found().slice(0, shownMax)}>
              {(index) => (
                <ModelItem
                  row={props.rows[index] as ModelRow}
                  onChange={(change) => props.setup.change(index, change)}
                />
              )}
            </For>
          </ul>
          <SaveBar setup={props.setup} chosen={chosen()} channel={props.channel} />
        </div>
      </Show>
    </Card>
  );
}

/** The button that asked for the list is folded away with its form: the list has the focus, and begins in the upper half. */
function beginWith(list: HTMLElement): void {
  list.focus({ preventScroll: true });
  window.scrollTo({ top: 0 });
}

function SaveBar(props: {
  readonly setup: Setup;
  readonly chosen: number;
  readonly channel: ExistingChannel;
}): JSX.Element {
  const [group, setGroup] = createSignal("default");
  const [isEnabled, setIsEnabled] = createSignal(true);
  const count = (): string => modelCount(props.chosen);
  const options = () => ({ groupName: group().trim(), isEnabled: isEnabled() });
  return (
    <>
      <FieldRow>
        <TextField
          label={t("Group")}
          hint={t("The users of this group may call the models.")}
          autocomplete="off"
          value={group()}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        <Show when={props.channel === null}>
          <Checkbox
            label={t("Serve calls immediately")}
            hint={isEnabled() ? t("The channel is enabled.") : t("The channel is saved disabled and gets no calls.")}
            checked={isEnabled()}
            onChange={(event) => setIsEnabled(event.currentTarget.checked)}
          />
        </Show>
      </FieldRow>
      <SecondPersonNotice what={t("New models wait")} />
      <Show when={props.setup.problem()}>
        {(problem) => <ErrorState title={t("Nothing was saved")} error={problem()} />}
      </Show>
      <div class="form-actions">
        <Button
          variant="primary"
          disabled={props.chosen === 0}
          isBusy={props.setup.isSaving()}
          onClick={() => void props.setup.save(options())}
        >
          {rich("Save {count}", { count: count() })}
        </Button>
        <Button
          disabled={props.chosen === 0}
          isBusy={props.setup.progress() !== null}
          onClick={() => void props.setup.test()}
        >
          {rich("Test {count}", { count: count() })}
        </Button>
        <span role="status" class="muted">
          <Show when={props.setup.progress()}>
            {(progress) => t("{done} of {all} tested", { done: progress().done, all: progress().all })}
          </Show>
        </span>
      </div>
      <p class="muted">{t("A test sends each model one small call. The provider bills it; nobody here is charged.")}</p>
    </>
  );
}
