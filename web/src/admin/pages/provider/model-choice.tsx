import { adoptedModelsMax } from "@sluice/contracts/proposal-limits";
import { createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { EmptyState, ErrorState } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { FieldRow } from "../../parts/form-parts.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { isReady, type ModelRow } from "./chosen-models.ts";
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
    <Card title="Choose the models">
      <Show
        when={props.rows.length > 0}
        fallback={<EmptyState title="The provider lists no model that calls can use" />}
      >
        <div class="section-stack">
          <div class="table-bar">
            <TextField
              label="Find a model"
              type="search"
              autocomplete="off"
              value={sought()}
              onInput={(event) => setSought(event.currentTarget.value)}
            />
            <Button onClick={() => choose(priced(), true)}>Choose all with a price ({priced().length})</Button>
            <Button
              disabled={chosen() === 0}
              onClick={() =>
                choose(
                  props.rows.map((_, index) => index),
                  false,
                )
              }
            >
              Choose none
            </Button>
          </div>
          <p class="muted" role="status">
            {formats.number(chosen())} of {formats.number(props.rows.length)} chosen
            <Show when={found().length > shownMax}>; the first {shownMax} are shown, search to see others</Show>
            <Show when={props.setup.leftOut() > 0}>
              ; {formats.number(props.setup.leftOut())} that no call can use are left out
            </Show>
          </p>
          <ul class={styles["models"]} aria-label="Models">
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

function SaveBar(props: {
  readonly setup: Setup;
  readonly chosen: number;
  readonly channel: ExistingChannel;
}): JSX.Element {
  const [group, setGroup] = createSignal("default");
  const [isEnabled, setIsEnabled] = createSignal(true);
  const count = (): string => `${props.chosen} ${props.chosen === 1 ? "model" : "models"}`;
  const options = () => ({ groupName: group().trim(), isEnabled: isEnabled() });
  return (
    <>
      <FieldRow>
        <TextField
          label="Group"
          hint="The users of this group may call the models."
          autocomplete="off"
          value={group()}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        <Show when={props.channel === null}>
          <Checkbox
            label="Serve calls at once"
            hint={isEnabled() ? "The channel is enabled." : "The channel is saved disabled and gets no calls."}
            checked={isEnabled()}
            onChange={(event) => setIsEnabled(event.currentTarget.checked)}
          />
        </Show>
      </FieldRow>
      <SecondPersonNotice what="New models wait" />
      <Show when={props.setup.problem()}>
        {(problem) => <ErrorState title="Nothing was saved" error={problem()} />}
      </Show>
      <div class="form-actions">
        <Button
          variant="primary"
          disabled={props.chosen === 0}
          isBusy={props.setup.isSaving()}
          onClick={() => void props.setup.save(options())}
        >
          Save {count()}
        </Button>
        <Button
          disabled={props.chosen === 0}
          isBusy={props.setup.progress() !== null}
          onClick={() => void props.setup.test()}
        >
          Test {count()}
        </Button>
        <span role="status" class="muted">
          <Show when={props.setup.progress()}>{(progress) => `${progress().done} of ${progress().all} tested`}</Show>
        </span>
      </div>
      <p class="muted">A test sends each model one small call. The provider bills it, nobody here is charged.</p>
    </>
  );
}
