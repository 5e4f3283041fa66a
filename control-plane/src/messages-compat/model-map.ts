import type { ModelFlags } from "@sluice/messages-conversion/model-flags";
import type { Database } from "../platform/db.ts";
import type { Notifications } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import type { ServedModel, UsableModel } from "./model.ts";
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
  #served: ReadonlyMap<string, ServedModel> = new Map();
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
        this.#served = new Map(served.map((model) => [model.name, model]));
        this.#models = new Map(
          models
            .filter(({ isEnabled }) => isEnabled)
            .map((model) => [model.name, { ...model, modelFlags: model.flags }]),
        );
      } catch (error) {
        this.#log.warn("messages.map_load_failed", { error });
      }
    });
    return this.#reload;
  }

  /**
   * The model of the catalog behind a name: of the map, or the same name. A model of exactly that name comes before the
   * map if channels serve it in this API itself.
   */
  find(name: string): { readonly model: string; readonly modelFlags: Partial<ModelFlags> } {
    const mapped = this.#mapped(name);
    return mapped === undefined
      ? { model: name, modelFlags: {} }
      : { model: mapped.upstreamModel, modelFlags: mapped.modelFlags };
  }

  /** The entry that a name leads to; undefined where it is one of the catalog. */
  #mapped(name: string): UsableModel | undefined {
    return this.#served.get(name)?.isNative === true ? undefined : this.#models.get(name);
  }

  /** Everything that answers if one may use these models: names of the map, and models under their own names. */
  list(usable: ReadonlySet<string>): { readonly mapped: UsableModel[]; readonly own: ServedModel[] } {
    const mapped = [...this.#models.values()].filter(({ name }) => this.#mapped(name) !== undefined);
    const own = [...this.#served.values()].filter(({ name }) => this.#mapped(name) === undefined);
    return {
      mapped: mapped.filter(({ upstreamModel }) => usable.has(upstreamModel)),
      own: own.filter(({ name, isReachable }) => isReachable && usable.has(name)),
    };
  }
}
