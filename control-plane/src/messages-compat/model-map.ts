import { completeModelFlags } from "@sluice/messages-conversion/model-flags";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import type { UsableModel } from "./model.ts";
import { listMappedModels, listServedModels } from "./store.ts";

/** The tables whose changes are announced and concern the map. */
const tableNames: ReadonlySet<string> = new Set(["messages_model", "channel", "ability"]);
/** The map is reloaded after this time, in case an announcement was lost. */
const reloadMs = 30_000;

/** The model map in the memory of this process, kept up to date by announcements of the database. */
export class ModelMap {
  readonly #db: Database;
  readonly #log: Log;
  #models: ReadonlyMap<string, UsableModel> = new Map();
  /** The models of the catalog that channels serve in this API itself. */
  #native: ReadonlySet<string> = new Set();
  #reload: Promise<void> = Promise.resolve();
  #timer: Timer | null = null;

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Loads the map and follows its changes from then on. */
  async start(notifications: Notifications): Promise<void> {
    notifications.listen("catalog_changed", (table) => {
      if (tableNames.has(table)) {
        void this.reload();
      }
    });
    notifications.onGap(() => void this.reload());
    await this.reload();
    this.#timer = setInterval(() => void this.reload(), reloadMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
  }

  /** Reloads the map; if that fails, it stays as it is. */
  reload(): Promise<void> {
    this.#reload = this.#reload.then(async () => {
      try {
        const [models, served] = await Promise.all([listMappedModels(this.#db), listServedModels(this.#db)]);
        this.#native = new Set(served.filter(({ isNative }) => isNative).map(({ model }) => model));
        this.#models = new Map(
          models
            .filter(({ isEnabled }) => isEnabled)
            .map((model) => [model.name, { ...model, flags: completeModelFlags(model.flags) }]),
        );
      } catch (error) {
        this.#log.warn("messages.map_load_failed", { error });
      }
    });
    return this.#reload;
  }

  /** All usable entries by name. */
  get usable(): ReadonlyMap<string, UsableModel> {
    return this.#models;
  }

  /**
   * The model of the catalog behind a name, if channels serve it in this API itself. A model of exactly that name comes
   * before the map.
   */
  findNative(name: string): string | null {
    if (this.#native.has(name)) {
      return name;
    }
    const mapped = this.#models.get(name)?.upstreamModel;
    return mapped !== undefined && this.#native.has(mapped) ? mapped : null;
  }

  /** Usable entries whose upstream model is one of these. */
  list(upstreamModels: ReadonlySet<string>): UsableModel[] {
    return [...this.#models.values()].filter(({ upstreamModel }) => upstreamModels.has(upstreamModel));
  }
}
