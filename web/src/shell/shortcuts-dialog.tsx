import type { JSX } from "solid-js";
import { Facts } from "../kit/card.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Switch } from "../kit/field.tsx";
import type { NavEntry } from "./nav-entry.ts";
import { hasSingleKeys, switchSingleKeys } from "./preferences.ts";
import type { ShellTexts } from "./shell-texts.ts";

/** Every shortcut, and the switch that turns the single letters off. */
export function ShortcutsDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly nav: readonly NavEntry[];
  readonly texts: ShellTexts;
}): JSX.Element {
  const keys = (): { name: string; value: JSX.Element }[] => [
    { name: "⌘K, Ctrl K", value: props.texts.shortcutPalette },
    { name: "/", value: props.texts.shortcutSearch },
    { name: "?", value: props.texts.shortcutHelp },
    { name: "J, K", value: props.texts.shortcutRows },
    { name: "Esc", value: props.texts.shortcutClose },
    ...props.nav.flatMap(({ key, label }) =>
      key === undefined ? [] : [{ name: `G ${key.toUpperCase()}`, value: label }],
    ),
  ];
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.texts.shortcuts}>
      <Facts facts={keys()} />
      <Switch
        label={props.texts.shortcutsSwitch}
        checked={hasSingleKeys()}
        onChange={(event) => switchSingleKeys(event.currentTarget.checked)}
      />
    </Dialog>
  );
}
