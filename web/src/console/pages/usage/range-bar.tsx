import { createSignal, For, type JSX, onCleanup, onMount } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { whenIdle } from "../../../kit/when-idle.ts";
import { browserZone } from "../../parts/days.ts";
import { usageArea } from "./messages/messages.ts";
import type { Range } from "./range.ts";
import styles from "./usage.module.css";

const lasts = [1, 7, 30, 90] as const;
const firstZones: readonly string[] = [browserZone, "UTC"];

/** Chooses the days and their zone. */
export function RangeBar(props: { readonly range: Range }): JSX.Element {
  const texts = usageArea.texts();
  const { range } = props;
  // The zones are loaded on demand: there are hundreds of them, and the list is rarely opened.
  const [zones, setZones] = createSignal<readonly string[]>(firstZones);
  onMount(() => onCleanup(whenIdle(() => setZones([...firstZones, ...Intl.supportedValuesOf("timeZone")]))));
  return (
    <div class={styles["range"]}>
      <div class={styles["lasts"]}>
        <For each={lasts}>
          {(days) => (
            <Button aria-pressed={range.last() === days} onClick={() => range.setLast(days)}>
              {days === 1 ? texts.today : fill(texts.last, { count: days })}
            </Button>
          )}
        </For>
      </div>
      <TextField
        label={texts.from}
        type="date"
        value={range.fromDay()}
        max={range.toDay()}
        onChange={(event) => range.set("from_day", event.currentTarget.value)}
      />
      <TextField
        label={texts.to}
        type="date"
        value={range.toDay()}
        onChange={(event) => range.set("to_day", event.currentTarget.value)}
      />
      <SelectField
        label={texts.zone}
        value={range.zone()}
        onChange={(event) => range.set("zone", event.currentTarget.value)}
      >
        <For each={[...new Set([range.zone(), ...zones()])]}>
          {(zone) => (
            <option value={zone} selected={zone === range.zone()}>
              {zone}
            </option>
          )}
        </For>
      </SelectField>
    </div>
  );
}
