import { createMemo, createSignal, For, type JSX } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { browserZone } from "../../parts/days.ts";
import { usageArea } from "./messages/messages.ts";
import type { Range } from "./range.ts";
import styles from "./usage.module.css";

const lasts = [1, 7, 30, 90] as const;

/** Chooses the days and their zone. */
export function RangeBar(props: { readonly range: Range }): JSX.Element {
  const texts = usageArea.texts();
  const { range } = props;
  // There are hundreds of zones, and the list is rarely opened: it is complete before a press or a key opens it.
  const [areAllZones, setAreAllZones] = createSignal(false);
  const zones = createMemo((): ReadonlySet<string> => {
    const more = areAllZones() ? Intl.supportedValuesOf("timeZone") : [];
    return new Set([range.zone(), browserZone(), "UTC", ...more]);
  });
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
        onPointerDown={() => setAreAllZones(true)}
        onFocusIn={() => setAreAllZones(true)}
        onChange={(event) => range.set("zone", event.currentTarget.value)}
      >
        <For each={[...zones()]}>
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
