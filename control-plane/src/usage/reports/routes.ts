import { adminOperation } from "@sluice/contracts/admin-rights";
import { callHistogram, callHistogramInput, histogramDaysMax } from "@sluice/contracts/call-histogram";
import { channelHealth, channelHealthInput } from "@sluice/contracts/channel-health";
import { modelPerformanceInput, modelPerformanceResponse } from "@sluice/contracts/model-performance";
import { dashboardInput, dashboardResponse, overviewInput, overviewResponse } from "@sluice/contracts/overview";
import {
  campaignReport,
  campaignReportInput,
  channelCostEntry,
  marginReport,
  marginReportInput,
  type ReportRangeInput,
  reconciliationInput,
  reconciliationReport,
  revenueReport,
  revenueReportInput,
  saveChannelCostInput,
  usageCourse,
  usageCourseInput,
  usageCoursePartsMax,
  usageReport,
  usageReportInput,
} from "@sluice/contracts/reports";
import { labelsOfDayMax, tagDaysMax, usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { readCallHistogram } from "./call-histogram.ts";
import { readChannelHealth } from "./channel-health-store.ts";
import { findCost, listCosts, upsertCost } from "./cost-store.ts";
import { readDashboard, readOverview, reportedRangeOf } from "./overview.ts";
import { performanceSpan, readCourse, readModelPerformance } from "./performance-store.ts";
import { rangeBefore, readReportRange } from "./range.ts";
import { reportCsv } from "./report-csv.ts";
import {
  reportCampaigns,
  reportMargin,
  reportReconciliation,
  reportRevenue,
  reportUsage,
  reportUsageCourse,
} from "./reports.ts";

export type ReportEndpointDeps = { readonly db: Database; readonly clock: Pick<Clock, "now"> };

const admins = { method: "GET", access: "admin" } as const;
const csvFile = [{ status: 200, type: "text/csv", summary: "The rows, with `format=csv`." }];

export function reportEndpoints(deps: ReportEndpointDeps): AnyEndpoint[] {
  return [
    ...overviewEndpoints(deps),
    ...sumEndpoints(deps),
    reconciliationEndpoint(deps),
    campaignEndpoint(deps),
    ...costEndpoints(deps),
  ];
}

function overviewEndpoints({ db, clock }: ReportEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      ...admins,
      path: "/backend/admin/dashboard/",
      input: dashboardInput,
      output: dashboardResponse,
      errors: [],
      summary: "Get the eight key figures",
      handle: async ({ input }) => ({ ...(await readDashboard(db, clock, input)) }),
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/overview/",
      input: overviewInput,
      output: overviewResponse,
      errors: [],
      summary: "Get the admin dashboard as of one moment, by days of a time zone",
      handle: async ({ input }) => ({ ...(await readOverview(db, clock, input)) }),
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/trace/histogram/",
      input: callHistogramInput,
      output: callHistogram,
      errors: [],
      limits: [`At most ${histogramDaysMax} days at once, in at most 100 bars.`],
      summary: "Count calls over time by outcome, from sums by quarter hour",
      handle: async ({ input }) => ({ ...(await readCallHistogram(db, input, clock.now())) }),
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/channel/health/",
      input: channelHealthInput,
      output: channelHealth,
      errors: [],
      limits: ["The latest 20,000 calls of a day."],
      summary: "Get the success rate and the time to the first byte of each channel and model, from attempts",
      handle: async () => ({ ...(await readChannelHealth(db, new Date(clock.now()))) }),
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/model/performance/",
      input: modelPerformanceInput,
      output: modelPerformanceResponse,
      errors: [],
      limits: ["The 200 models with most calls."],
      summary: "Get percentiles of first byte and duration, throughput and success of each model, by channel",
      handle: async ({ input: { span, model } }) => {
        const nowMs = clock.now();
        return {
          from: performanceSpan(span, nowMs).from,
          models: await readModelPerformance(db, span, nowMs),
          course: model === undefined ? [] : await readCourse(db, { span, model }, nowMs),
        };
      },
    }),
  ];
}

function sumEndpoints({ db, clock }: ReportEndpointDeps): AnyEndpoint[] {
  const rangeOf = (input: ReportRangeInput) => readReportRange(input, clock.now());
  return [
    endpoint({
      ...admins,
      path: "/backend/admin/report/revenue/",
      input: revenueReportInput,
      output: revenueReport,
      errors: [],
      otherResponses: csvFile,
      summary: "Report payments and refunds by day of a time zone, by plan or by gateway",
      handle: async ({ input }) => {
        const range = rangeOf(input);
        const report = await reportRevenue(db, range, input.by);
        const file = { name: `revenue-by-${input.by}`, columns: revenueReport.shape.rows.element, rows: report.rows };
        return input.format === "csv" ? reportCsv(range, file) : { range: reportedRangeOf(range), ...report };
      },
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/report/usage/",
      input: usageReportInput,
      output: usageReport,
      errors: [],
      otherResponses: csvFile,
      limits: [
        `By tag, at most ${tagDaysMax} days and the ${usageLabelsMax} most expensive tags, of the first ${labelsOfDayMax.toLocaleString("en")} of each UTC day.`,
      ],
      summary: "Report calls, tokens and quota by day of a time zone, by model, provider, exit node, user or tag",
      handle: async ({ input }) => {
        const range = rangeOf(input);
        const report = await reportUsage(db, range, input.by);
        const file = { name: `usage-by-${input.by}`, columns: usageReport.shape.rows.element, rows: report.rows };
        return input.format === "csv" ? reportCsv(range, file) : { range: reportedRangeOf(range), ...report };
      },
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/report/usage/course/",
      input: usageCourseInput,
      output: usageCourse,
      errors: [],
      limits: [
        `The ${usageCoursePartsMax} most expensive parts; the others are summed up.`,
        `By tag, at most ${tagDaysMax} days.`,
      ],
      summary: "Sum calls by day and model, channel, exit node, user or tag, with the days before",
      handle: async ({ input }) => {
        const range = rangeOf(input);
        const ranges = { range, before: rangeBefore(range, clock.now()) };
        return { range: reportedRangeOf(range), ...(await reportUsageCourse(db, ranges, input.by)) };
      },
    }),
    endpoint({
      ...admins,
      path: "/backend/admin/report/margin/",
      input: marginReportInput,
      output: marginReport,
      errors: [],
      otherResponses: csvFile,
      summary: "Compare what calls were charged with what their providers cost",
      handle: async ({ input }) => {
        const range = rangeOf(input);
        const report = await reportMargin(db, range, input.by);
        const file = { name: `margin-by-${input.by}`, columns: marginReport.shape.rows.element, rows: report.rows };
        return input.format === "csv" ? reportCsv(range, file) : { range: reportedRangeOf(range), ...report };
      },
    }),
  ];
}

function reconciliationEndpoint({ db, clock }: ReportEndpointDeps): AnyEndpoint {
  return endpoint({
    ...admins,
    path: "/backend/admin/report/reconciliation/",
    input: reconciliationInput,
    output: reconciliationReport,
    errors: [],
    otherResponses: csvFile,
    summary: "Reconcile orders, payments and the ledger; the file lists the mismatches",
    handle: async ({ input }) => {
      const range = readReportRange(input, clock.now());
      const report = await reportReconciliation(db, range);
      const columns = reconciliationReport.shape.mismatches.element;
      return input.format === "csv"
        ? reportCsv(range, { name: "reconciliation", columns, rows: report.mismatches })
        : { range: reportedRangeOf(range), ...report };
    },
  });
}

function campaignEndpoint({ db, clock }: ReportEndpointDeps): AnyEndpoint {
  return endpoint({
    ...admins,
    path: "/backend/admin/report/campaign/",
    input: campaignReportInput,
    output: campaignReport,
    errors: [],
    otherResponses: csvFile,
    summary: "Report page views, clicks and payments by campaign",
    handle: async ({ input }) => {
      const range = readReportRange(input, clock.now());
      const report = await reportCampaigns(db, range);
      const columns = campaignReport.shape.rows.element;
      return input.format === "csv"
        ? reportCsv(range, { name: "campaigns", columns, rows: report.rows })
        : { range: reportedRangeOf(range), ...report };
    },
  });
}

function costEndpoints({ db }: ReportEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      ...admins,
      path: "/backend/admin/channel-cost/list/",
      input: z.strictObject({}),
      output: z.strictObject({ costs: z.array(channelCostEntry) }),
      errors: [],
      summary: "List provider prices for models, every entry ever made",
      handle: async () => ({ costs: await listCosts(db) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/channel-cost/save/"),
      input: saveChannelCostInput,
      output: z.strictObject({ cost: channelCostEntry }),
      errors: ["not_found"],
      summary: "Enter a provider's price for a model from a UTC day on; it changes no charges",
      handle: async ({ input, ...call }) => {
        const cost = await db.withTransaction(async (tx) => {
          const before = await findCost(tx, input);
          const after = (await upsertCost(tx, input)) ? await findCost(tx, input) : null;
          if (after === null) {
            throw new AppError("not_found", { message: "This channel or model does not exist." });
          }
          await audit(tx, byCaller(call), "channel_cost.save", {
            subjectKind: "channel",
            subjectId: input.channel_id,
            before,
            after,
          });
          return after;
        });
        return { cost };
      },
    }),
  ];
}
