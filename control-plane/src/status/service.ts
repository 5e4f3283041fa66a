import type { StatusView } from "@sluice/contracts/status";
import { statusDays } from "@sluice/contracts/status-states";
import type { Clock } from "../platform/clock.ts";
import type { Database, Queryable } from "../platform/db.ts";
import { percentileMs } from "../platform/histogram.ts";
import type { Log } from "../platform/log.ts";
import { type Ends, overallOf, type StatusRules, shareOf, stateOf } from "./model.ts";
import { type DayEnds, listIncidents, readDays, readFirstBytes, readNow } from "./store.ts";

export type StatusDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: () => StatusRules;
  /** The models that anyone may see. */
  readonly models: () => Promise<readonly { readonly name: string; readonly display_name: string }[]>;
  /** The name of the service, and the address of the page. */
  readonly page: () => { readonly name: string; readonly url: string };
};

/** Whatever the number of visitors, the sums are read this often. */
const keptMs = 30_000;
const resolvedDays = 14;
const modelsMax = 200;

type Measured = Omit<StatusView, "page">;

/**
 * What the status page shows, from sums and no call's row. It knows models and no channels. While the database is away,
 * the last state that was read is shown, with its time.
 */
export class StatusBoard {
  readonly #deps: StatusDeps;
  #kept: { readonly key: string; readonly atTick: number; readonly at: Date; readonly view: Measured } | null = null;
  #reading: Promise<void> | null = null;

  constructor(deps: StatusDeps) {
    this.#deps = deps;
  }

  /** Null while the operator shows none. */
  async read(): Promise<StatusView | null> {
    const { rules, clock, page } = this.#deps;
    const now = rules();
    if (!now.isShown) {
      return null;
    }
    const key = JSON.stringify(now);
    if (this.#kept?.key !== key || clock.tick() - this.#kept.atTick > keptMs) {
      this.#reading ??= this.#measure(now, key).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    const kept = this.#kept;
    return kept?.key !== key ? null : { page: { ...page(), updated_at: kept.at }, ...kept.view };
  }

  /** Reads immediately when somebody asks next. */
  forget(): void {
    if (this.#kept !== null) {
      this.#kept = { ...this.#kept, atTick: Number.NEGATIVE_INFINITY };
    }
  }

  async #measure(rules: StatusRules, key: string): Promise<void> {
    const { clock, log } = this.#deps;
    try {
      const at = new Date(clock.now());
      this.#kept = { key, at, atTick: clock.tick(), view: await this.#view(rules, at) };
    } catch (error) {
      if (this.#kept?.key !== key) {
        throw error;
      }
      log.warn("status.read_failed", { error });
    }
  }

  async #view(rules: StatusRules, at: Date): Promise<Measured> {
    const { db, models } = this.#deps;
    const shown = (await models()).slice(0, modelsMax);
    const days = rules.showsSuccess ? await readDays(db, statusDays) : [];
    const latest = new Map((await readNow(db)).map((row) => [row.model, row]));
    const buckets = rules.showsLatency ? await readFirstBytes(db) : [];
    const incidents = rules.showsIncidents ? await listIncidents(db, { resolvedDays }) : [];
    const open = incidents.filter(({ resolved_at }) => resolved_at === null);
    const dayNames = daysUntil(at);
    const daysOf = Map.groupBy(days, ({ model }) => model);
    const bucketsOf = Map.groupBy(buckets, ({ model }) => model);
    const components = shown.map(({ name, display_name }) => {
      const firstBytes = new Map((bucketsOf.get(name) ?? []).map(({ bucket, calls }) => [bucket, calls]));
      return {
        ...{ name, display_name },
        status: stateOf(latest.get(name) ?? { answered: 0, failed: 0 }),
        ...successOf(rules, dayNames, daysOf.get(name) ?? []),
        first_byte_ms_p95: percentileMs(firstBytes, 0.95),
      };
    });
    return {
      status: overallOf(
        components.map(({ status }) => status),
        open.map(({ impact }) => impact),
      ),
      from_day: dayNames[0] ?? "",
      components,
      // Who wrote an update is nobody's business.
      incidents: incidents.map(({ version: _, updates, ...incident }) => ({
        ...incident,
        updates: updates.map(({ posted_by: __, ...update }) => update),
      })),
    };
  }
}

const shownSuccessDays = 30;

type ShownSuccess = { readonly overall: number | null; readonly byModel: Readonly<Record<string, number>> };

/**
 * The share of calls, of all and of each model, that were answered in the last whole days in UTC, so that it changes once a day.
 * Models with too few calls are left out; it is empty while the operator shows no shares.
 */
export async function readShownSuccess(
  { isShown, showsSuccess }: StatusRules,
  db: Queryable,
  nowMs: number,
): Promise<ShownSuccess> {
  if (!isShown || !showsSuccess) {
    return { overall: null, byModel: {} };
  }
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const days = (await readDays(db, shownSuccessDays + 1)).filter(({ day }) => day < today);
  const byModel = Object.fromEntries(
    [...Map.groupBy(days, ({ model }) => model)].flatMap(([model, own]) => {
      const share = shareOf(sumOf(own));
      return share === null ? [] : [[model, share] as const];
    }),
  );
  return { overall: shareOf(sumOf(days)), byModel };
}

function sumOf(days: readonly Ends[]): Ends {
  const none = { answered: 0, failed: 0 };
  return days.reduce(
    (sum, { answered, failed }) => ({ answered: sum.answered + answered, failed: sum.failed + failed }),
    none,
  );
}

function successOf(
  rules: StatusRules,
  dayNames: readonly string[],
  days: readonly DayEnds[],
): { readonly success_by_day: (number | null)[]; readonly success: number | null } {
  if (!rules.showsSuccess) {
    return { success_by_day: [], success: null };
  }
  const byDay = new Map(days.map((row) => [row.day, row]));
  const none = { answered: 0, failed: 0 };
  return { success_by_day: dayNames.map((day) => shareOf(byDay.get(day) ?? none)), success: shareOf(sumOf(days)) };
}

/** The days of the bars in UTC, the last one being today. */
function daysUntil(at: Date): string[] {
  const today = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  return Array.from({ length: statusDays }, (_, index) =>
    new Date(today - (statusDays - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}
