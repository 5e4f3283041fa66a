import { acting } from "../../acting-for.ts";
import { keepTab, readTab } from "../../parts/tab-storage.ts";
import { noSettings, type SettingName, type Settings } from "./call-settings.ts";
import { type Place, placesMax } from "./conversation.ts";

/** What is being written: it survives a reload of the page. */
export type Draft = {
  readonly prompt: string;
  readonly places: readonly Place[];
  /** A project of the organisation that the console acts for; empty for none. */
  readonly projectId: string;
  /** The conversation of the history that the tab shows; empty for a new one. */
  readonly conversationId: string;
  /** Under which id the browser keeps the files of the message; empty for none. */
  readonly filesId: string;
  readonly settings: Settings;
};

const isText = (value: unknown): value is string => typeof value === "string";

/** The draft of this tab; an empty one if there is none that can be read. */
export function readDraft(): Draft {
  const read = (readTab("playground-draft") ?? {}) as Partial<Record<keyof Draft | "organisation", unknown>>;
  const settings = (read.settings ?? {}) as Partial<Record<SettingName, unknown>>;
  const names = Object.keys(noSettings) as SettingName[];
  return {
    prompt: isText(read.prompt) ? read.prompt : "",
    projectId: isText(read.projectId) && read.organisation === acting?.id ? read.projectId : "",
    conversationId: isText(read.conversationId) ? read.conversationId : "",
    filesId: isText(read.filesId) ? read.filesId : "",
    places: Array.isArray(read.places) ? read.places.filter(isPlace).slice(0, placesMax) : [],
    settings: Object.fromEntries(names.map((name) => [name, isText(settings[name]) ? settings[name] : ""])) as Settings,
  };
}

export function keepDraft(draft: Draft): void {
  // Another organisation has other projects.
  keepTab("playground-draft", { ...draft, organisation: acting?.id });
}

function isPlace(value: unknown): value is Place {
  const { id, model } = (value ?? {}) as Partial<Record<keyof Place, unknown>>;
  return isText(id) && isText(model);
}
