import type { GatewayUserId } from "@sluice/contracts/ids";
import {
  type EarlierCallsInput,
  type EarlierUsage,
  earlierCallsMax,
  type UsageCourse,
  type UsageCourseDay,
  type UsageCourseInput,
  type UsageLabels,
  type UsageListInput,
  type UsagePerformanceInput,
  type UsageReceipt,
  type UsageSummary,
  type UsageSummaryInput,
  type UsageView,
  usageCoursePartsMax,
  usageExportRowsMax,
} from "@sluice/contracts/usage";
import { usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import type { AuditOrigin } from "../../admin/audit/model.ts";
import { audit } from "../../admin/audit/service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import { DatabaseTimeoutError, sqlStateOf } from "../../platform/db-errors.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { type KeysetPage, readKeysetPage } from "../../platform/keyset-page.ts";
import { daysOfRequest } from "../../platform/request-days.ts";
import { courseOfLabels, daysBefore, divideCourse, partDays, sumDays } from "./course.ts";
import { earlierCallsFile } from "./earlier-file.ts";
import { countEarlierCalls, listEarlierCalls, listEarlierUsage, sumEarlierUsage } from "./earlier-store.ts";
import { daysOfKeys } from "./key-days-store.ts";
import { changeLabelsKept, readLabelsKept, sumLabelDays, sumLabels } from "./labels-store.ts";
import { toFilter, toSummary, type UsageFilter, type UsagePlace } from "./model.ts";
import { readOwnPerformance } from "./performance-store.ts";
import { toReceipt } from "./receipt.ts";
import { usageFile } from "./usage-file.ts";
import { findPricedCall, listUsage, sumUsage } from "./views-store.ts";

const invalidParameterValue = "22023";
const fileRowsAtOnce = 1_000;

/** What users may see of their calls: never more than their own. */
export class UsageViews {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** A page of calls, newest first. @throws AppError `invalid_parameter`, `temporarily_unavailable` */
  async list(place: UsagePlace, input: UsageListInput): Promise<KeysetPage<UsageView, string>> {
    const { cursor = null, limit } = input;
    const filter = this.#filter(place, input);
    const days = await inBounds(() => daysOfKeys(this.#db, filter));
    const list = (most: number) => this.#read(filter, (db) => listUsage(db, filter, { cursor, limit: most, days }));
    return await readKeysetPage(limit, list, ({ day, request_id: id }) => `${day}_${id}`);
  }

  /** Sums by day in a time zone and by model. @throws AppError `invalid_parameter`, `temporarily_unavailable` */
  async summary(place: UsagePlace, input: UsageSummaryInput): Promise<UsageSummary> {
    const filter = this.#filter(place, input);
    return toSummary(filter, await this.#read(filter, (db) => sumUsage(db, filter)));
  }

  /**
   * The days of a range by what they are divided by, the most expensive parts with names of their own, and the days before.
   * @throws AppError `invalid_parameter`, `temporarily_unavailable`
   */
  async course(place: UsagePlace, { by, ...input }: UsageCourseInput): Promise<UsageCourse> {
    const filter = this.#filter(place, input);
    const { zone, fromDay, toDay } = filter;
    const before = daysBefore(filter);
    const head = { zone, from_day: fromDay, to_day: toDay, by };
    const previous = (days: readonly UsageCourseDay[]) => ({
      from_day: before.fromDay,
      to_day: before.toDay,
      days: sumDays(days),
    });
    return await inBounds(async () => {
      if (by === "tag" || by === "end_user") {
        const labelled = (of: UsageFilter) => sumLabelDays(this.#db, of, { kind: by, most: usageCoursePartsMax });
        const divided = courseOfLabels(await labelled(filter));
        // A call counts for each of its tags, so that their sum is not what was spent.
        return { ...head, ...divided, previous: by === "tag" ? null : previous(await labelled(before)) };
      }
      const withKeyDays = by !== "model";
      const divided = divideCourse(partDays(await sumUsage(this.#db, filter, { withKeyDays }), by));
      const earlier = partDays(await sumUsage(this.#db, before), "model");
      return { ...head, ...divided, previous: previous(earlier.map(({ sums }) => sums)) };
    });
  }

  /** How soon each model answered, in days of UTC. @throws AppError `invalid_parameter`, `temporarily_unavailable` */
  async performance(place: UsagePlace, input: UsagePerformanceInput) {
    const filter = this.#filter(place, { ...input, zone: "UTC" });
    const models = await inBounds(() => readOwnPerformance(this.#db, filter));
    return { from_day: filter.fromDay, to_day: filter.toDay, models };
  }

  /** What the account used before it was moved here. It is of no member, so those who see their own calls alone get none. */
  async earlier({ gatewayUserId, onlyMemberId }: UsagePlace): Promise<EarlierUsage | null> {
    return onlyMemberId === null ? await sumEarlierUsage(this.#db, gatewayUserId) : null;
  }

  /** The same by day and model. @throws AppError `too_broad` */
  async earlierDays({ gatewayUserId, onlyMemberId }: UsagePlace) {
    const rows = onlyMemberId === null ? await listEarlierUsage(this.#db, gatewayUserId, usageExportRowsMax + 1) : [];
    if (rows.length > usageExportRowsMax) {
      throw new AppError("too_broad");
    }
    return rows;
  }

  /** A CSV file of the single calls, if they were moved. @throws AppError `too_broad` */
  async earlierCalls({ gatewayUserId, onlyMemberId }: UsagePlace, input: EarlierCallsInput): Promise<Response> {
    const days = { fromDay: input.from_day ?? null, toDay: input.to_day ?? null };
    if (onlyMemberId !== null) {
      return earlierCallsFile(async () => []);
    }
    if ((await countEarlierCalls(this.#db, gatewayUserId, days, earlierCallsMax)) > earlierCallsMax) {
      const limit = earlierCallsMax.toLocaleString("en");
      throw new AppError("too_broad", { message: `A file can have at most ${limit} calls. Choose fewer days.` });
    }
    return earlierCallsFile((after) =>
      listEarlierCalls(this.#db, gatewayUserId, days, { after, limit: fileRowsAtOnce }),
    );
  }

  /** Sums by end user and by tag. @throws AppError `invalid_parameter`, `temporarily_unavailable` */
  async labels(place: UsagePlace, input: UsageSummaryInput): Promise<UsageLabels> {
    const filter = this.#filter(place, input);
    const rows = await inBounds(() => sumLabels(this.#db, filter, usageLabelsMax + 1));
    const byEndUser = rows.flatMap(({ kind, label, ...sums }) =>
      kind === "tag" || label === null ? [] : [{ end_user: label, ...sums }],
    );
    const byTag = rows.flatMap(({ kind, label, ...sums }) =>
      kind === "tag" && label !== null ? [{ tag: label, ...sums }] : [],
    );
    const hasOthers = rows.some(({ label }) => label === null);
    return {
      from_day: filter.fromDay,
      to_day: filter.toDay,
      by_end_user: byEndUser.slice(0, usageLabelsMax),
      by_tag: byTag.slice(0, usageLabelsMax),
      has_more: hasOthers || Math.max(byEndUser.length, byTag.length) > usageLabelsMax,
      are_kept: await readLabelsKept(this.#db, place.gatewayUserId),
    };
  }

  /** Changes whether the end users and tags of later calls are kept; what was kept stays as long as its calls. */
  async saveLabels(gatewayUserId: GatewayUserId, areKept: boolean, origin: AuditOrigin): Promise<void> {
    await this.#db.withTransaction(async (tx) => {
      if (await changeLabelsKept(tx, gatewayUserId, areKept)) {
        await audit(tx, origin, "usage_labels.save", {
          subjectKind: "gateway_user",
          subjectId: gatewayUserId.toString(),
          before: { areKept: !areKept },
          after: { areKept },
        });
      }
    });
  }

  /**
   * A CSV file of every matching call, newest first; that of an organisation names members and projects.
   * @throws AppError `invalid_parameter`, `temporarily_unavailable`, `too_broad` for more than a file holds
   */
  async file(place: UsagePlace, input: UsageSummaryInput, isOfOrganisation: boolean): Promise<Response> {
    const filter = this.#filter(place, input);
    const { total } = await this.summary(place, input);
    if (total.calls > usageExportRowsMax) {
      const limit = usageExportRowsMax.toLocaleString("en");
      throw new AppError("too_broad", {
        message: `A file can have at most ${limit} calls, and this one would have more. Choose fewer days or add a filter.`,
      });
    }
    const days = await inBounds(() => daysOfKeys(this.#db, filter));
    const page = { limit: fileRowsAtOnce, withMembers: isOfOrganisation, days };
    return usageFile((cursor) => listUsage(this.#db, filter, { ...page, cursor }), {
      name: `usage-${filter.fromDay}-${filter.toDay}.csv`,
      isOfOrganisation,
    });
  }

  /**
   * How the cost of one call came about.
   * @param day in UTC; null when only the request id is known, which contains it
   * @throws AppError `not_found` for a call that does not exist or belongs to another user
   */
  async receipt(place: UsagePlace, requestId: string, day: string | null): Promise<UsageReceipt> {
    const days = day === null ? daysOfRequest(requestId) : [day];
    const call = await findPricedCall(this.#db, place, { requestId, days });
    if (call === null) {
      throw notFound("call");
    }
    return toReceipt(call);
  }

  /**
   * One plan for all labels would read every labelled call of the account: some labels have a million calls, others none. So these
   * are planned one by one.
   */
  #read<T>(filter: UsageFilter, read: (db: Queryable) => Promise<T>): Promise<T> {
    const isOfLabel = filter.endUser !== null || filter.tag !== null;
    return inBounds(() => (isOfLabel ? this.#db.withTransaction(read, { isPageRead: true }) : read(this.#db)));
  }

  #filter(place: UsagePlace, input: UsageSummaryInput): UsageFilter {
    const filter = toFilter(place, input, this.#clock.now());
    if ("wrongField" in filter) {
      throw new AppError("invalid_parameter", { fields: { [filter.wrongField]: filter.sentence } });
    }
    return filter;
  }
}

async function inBounds<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      throw new AppError("temporarily_unavailable", {
        message: "This covers too much. Choose fewer days.",
        cause: error,
      });
    }
    if (sqlStateOf(error) === invalidParameterValue) {
      throw new AppError("invalid_parameter", { fields: { zone: "Unknown time zone." }, cause: error });
    }
    throw error;
  }
}
