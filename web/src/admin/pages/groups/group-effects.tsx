import type { ListResponse } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Notice } from "../../../kit/states.tsx";
import { describeChange, type LoadedGroup, type TypedGroup } from "./describe-change.ts";
import { type Group, groupsPath } from "./group.ts";

/** Says what will happen before a group is saved. */
export function GroupEffects(props: { readonly group: LoadedGroup; readonly typed: TypedGroup }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [groupsPath, "effects", props.group.name],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${groupsPath}list/`, { query: { rows: props.group.name }, signal }) as Promise<ListResponse<Group>>,
  }));
  const effects = (): string[] => {
    const row = query.data?.rows[0];
    return row === undefined ? [] : describeChange(props.group, props.typed, row);
  };
  return (
    <div aria-live="polite">
      <Show when={effects().length > 0}>
        <Notice tone="info">
          <ul class="plain-list">
            <For each={effects()}>{(effect) => <li>{effect}</li>}</For>
          </ul>
        </Notice>
      </Show>
    </div>
  );
}
