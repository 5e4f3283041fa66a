import type { settingListOutput } from "@sluice/contracts/settings";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { apiGet } from "../../api/client.ts";
import { Notice } from "../../kit/states.tsx";
import { rich } from "../translate.ts";
import { createMe } from "./rights.tsx";

const settingsPath = "/backend/admin/settings/list/";
const settingName = "admin.second_person_above_usd";

/** All settings; shared by every page that requests them. */
export function createSettings(isWanted: () => boolean = () => true) {
  return createQuery(() => ({
    queryKey: [settingsPath],
    enabled: isWanted(),
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof settingListOutput>(settingsPath, { signal }),
  }));
}

/** Shown before sending if a second super-admin has to approve; nothing while one alone may do everything. */
export function SecondPersonNotice(props: {
  /** The change that waits, such as "A lower price waits"; a function gets the threshold in US dollars. */
  readonly what: string | ((aboveUsd: string) => string);
}): JSX.Element {
  const me = createMe();
  const settings = createSettings(me.isSuper);
  const aboveUsd = (): number => Number(settings.data?.settings.find(({ name }) => name === settingName)?.value ?? 0);
  const what = (): string => (typeof props.what === "string" ? props.what : props.what(String(aboveUsd())));
  return (
    <Show when={aboveUsd() > 0}>
      <Notice tone="warn">{rich("{what} until another super-admin has approved it.", { what: what() })}</Notice>
    </Show>
  );
}
