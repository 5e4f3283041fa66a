import type { SaveSettingInput, SettingView } from "@sluice/contracts/settings";
import type { Database, Queryable, Transaction } from "../../platform/db.ts";
import type { Notifications } from "../../platform/db-notifications.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { ActOrigin } from "../approvals/port.ts";
import { announcementFault } from "./brand-texts.ts";
import { effectiveSettings, type FixedSettings, invalidSettings, type StoredSetting, toSettingView } from "./model.ts";
import { findDefinition, type SettingName, type SettingValues, settingNames } from "./registry.ts";
import { insertStoredSetting, listStoredSettings, lockStoredSetting, updateStoredSetting } from "./store.ts";

const channel = "setting_changed";
/** The maximum age of the settings if an announcement is lost. */
const reloadMs = 30_000;
/** The maximum age while announcements can't arrive. */
const reloadBlindMs = 800;

export type SettingsDeps = {
  readonly db: Database;
  readonly log: Log;
  /** Values fixed by the environment, which nobody can change. */
  readonly fixed: FixedSettings;
};

/** A setting before and after a change, both stored and effective. */
export type SettingChange = {
  readonly name: SettingName;
  readonly stored: StoredSetting | null;
  readonly written: StoredSetting;
  readonly before: SettingView;
  readonly after: SettingView;
};

/** The settings in this process's memory, kept up to date by the database's announcements. Reads cost nothing. */
export class Settings {
  readonly #deps: SettingsDeps;
  #values: SettingValues;
  #reload: Promise<void> = Promise.resolve();
  #loadedTick = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  #warnedOf = "";
  #onChange: () => void = () => undefined;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
    this.#values = effectiveSettings([], deps.fixed);
  }

  /** The effective values. Read them each time: they change while the service runs. */
  get values(): SettingValues {
    return this.#values;
  }

  /** Loads the settings and follows their changes from then on. */
  async start(notifications: Notifications): Promise<void> {
    notifications.listen(channel, () => void this.reload());
    notifications.onGap(() => void this.reload());
    await this.reload();
    this.#timer = setInterval(() => {
      if (!notifications.isConnected() || performance.now() - this.#loadedTick > reloadMs) {
        void this.reload();
      }
    }, reloadBlindMs);
    this.#timer.unref();
  }

  /** Calls the function each time that a value has changed in this process. There is one such function. */
  onChange(report: () => void): void {
    this.#onChange = report;
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
  }

  /** Reloads the settings; if that fails, they stay as they are. */
  reload(): Promise<void> {
    this.#reload = this.#reload.then(() => this.#load());
    return this.#reload;
  }

  async #load(): Promise<void> {
    const { db, log, fixed } = this.#deps;
    try {
      const stored = await listStoredSettings(db);
      const values = effectiveSettings(stored, fixed);
      const isChanged = JSON.stringify(values) !== JSON.stringify(this.#values);
      this.#values = values;
      this.#loadedTick = performance.now();
      const invalid = invalidSettings(stored).join(", ");
      if (invalid !== this.#warnedOf) {
        this.#warnedOf = invalid;
        log.warn("settings.default_used", { names: invalid });
      }
      if (isChanged) {
        this.#onChange();
      }
    } catch (error) {
      log.warn("settings.load_failed", { error });
    }
  }

  /** Every setting with its allowed values. */
  async list(): Promise<SettingView[]> {
    const { db, fixed } = this.#deps;
    const stored = new Map((await listStoredSettings(db)).map((each) => [each.name, each]));
    return settingNames.map((name) => toSettingView(name, stored.get(name) ?? null, fixed));
  }

  /** The values stored in the database now, even if this process has not been notified yet. */
  async readValues(db: Queryable): Promise<SettingValues> {
    return effectiveSettings(await listStoredSettings(db), this.#deps.fixed);
  }

  /**
   * Changes one setting. Every replica applies it within a second of the commit; this one applies it once reloaded.
   * @throws AppError `not_found`, `invalid_value` (also for an announcement that ends before it begins), `setting_fixed`, and `conflict` when it has changed since it was
   * loaded
   */
  async change(
    tx: Transaction,
    input: SaveSettingInput,
    { adminId, adminName }: Pick<ActOrigin, "adminId" | "adminName">,
  ): Promise<SettingChange> {
    const definition = findDefinition(input.name);
    if (definition === null) {
      throw notFound("setting");
    }
    const name = input.name as SettingName;
    const { fixed } = this.#deps;
    if (fixed[name] !== undefined) {
      throw new AppError("setting_fixed", { message: `This is set by the variable ${definition.variable}.` });
    }
    const read = definition.schema.nullable().safeParse(input.value);
    if (!read.success) {
      throw new AppError("invalid_value", { fields: { value: read.error.issues[0]?.message ?? "" } });
    }
    const stored = await lockStoredSetting(tx, name);
    const write = { name, value: read.data, adminId, adminName };
    const isLoaded = (stored?.version ?? 0) === input.version;
    const written = !isLoaded ? null : await (stored === null ? insertStoredSetting : updateStoredSetting)(tx, write);
    if (written === null) {
      throw new AppError("conflict");
    }
    if (name === "announcement.from" || name === "announcement.until") {
      await this.#refuseEmptySpan(tx);
    }
    return {
      name,
      stored,
      written,
      before: toSettingView(name, stored, fixed),
      after: toSettingView(name, written, fixed),
    };
  }

  async #refuseEmptySpan(tx: Transaction): Promise<void> {
    const values = await this.readValues(tx);
    const fault = announcementFault(values["announcement.from"], values["announcement.until"]);
    if (fault !== null) {
      throw new AppError("invalid_value", { fields: { value: fault } });
    }
  }
}
