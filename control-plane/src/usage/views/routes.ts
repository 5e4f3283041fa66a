import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import {
  earlierCallsInput,
  earlierCallsMax,
  usageCourseInput,
  usageCoursePartsMax,
  usageCourseResponse,
  usageDaysMax,
  usageEarlierResponse,
  usageExportRowsMax,
  usageLabelsResponse,
  usageLabelsSaveInput,
  usageListInput,
  usageListResponse,
  usagePerformanceInput,
  usagePerformanceResponse,
  usageReceiptInput,
  usageReceiptResponse,
  usageSummaryInput,
  usageSummaryResponse,
  usageSumsInput,
} from "@sluice/contracts/usage";
import { labelsOfDayMax, usageLabelsMax } from "@sluice/contracts/usage-label-limits";
import { z } from "zod";
import { byCaller } from "../../admin/audit/service.ts";
import { type AnyEndpoint, endpoint, type UserCaller } from "../../platform/endpoint/model.ts";
import { earlierFile } from "./earlier-file.ts";
import type { UsagePlace } from "./model.ts";
import { sumsFile } from "./sums-file.ts";
import type { UsageViews } from "./usage-views.ts";

const rangeLimits = [`At most ${usageDaysMax} days at once.`];

function placeOf({ gatewayUserId, organisation }: UserCaller): UsagePlace {
  const isOwnOnly = organisation !== undefined && !mayInOrganisation(organisation.role, "usage");
  return { gatewayUserId, onlyMemberId: isOwnOnly ? organisation.memberId : null };
}

/** The endpoints of the console's usage page. Each sees only the calls of the logged-in user. */
export function usageEndpoints(views: UsageViews): AnyEndpoint[] {
  return [...callEndpoints(views), ...receiptEndpoints(views), ...otherSumEndpoints(views), ...earlierEndpoints(views)];
}

const method = "GET";
const access = "user";

function callEndpoints(views: UsageViews): AnyEndpoint[] {
  return [
    endpoint({
      method,
      path: "/backend/usage/list/",
      access,
      input: usageListInput,
      summary: "List the user's calls, newest first",
      output: usageListResponse,
      errors: [],
      handle: async ({ user, input }) => {
        const { rows, nextCursor } = await views.list(placeOf(user), input);
        return { rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method,
      path: "/backend/usage/summary/",
      access,
      input: usageSummaryInput,
      summary: "Sum the user's calls by day of a time zone, by model and by key",
      output: usageSummaryResponse,
      errors: [],
      limits: rangeLimits,
      handle: async ({ user, input }) => ({ ...(await views.summary(placeOf(user), input)) }),
    }),
    endpoint({
      method,
      path: "/backend/usage/course/",
      access,
      input: usageCourseInput,
      summary: "Sum the user's calls by day and model, key, member, project, end user or tag, with the days before",
      output: usageCourseResponse,
      errors: [],
      limits: [...rangeLimits, `The ${usageCoursePartsMax} most expensive parts; the others are summed up.`],
      handle: async ({ user, input }) => ({ ...(await views.course(placeOf(user), input)) }),
    }),
    endpoint({
      method,
      path: "/backend/usage/export/",
      access,
      input: usageSummaryInput,
      summary: "Export the user's calls as CSV; those of an organisation with member and project",
      output: null,
      otherResponses: [
        { status: 200, type: "text/csv", summary: "One line per call, after a line with the column names." },
      ],
      errors: ["too_broad"],
      limits: [...rangeLimits, `At most ${usageExportRowsMax.toLocaleString("en")} calls.`],
      handle: ({ user, input }) => views.file(placeOf(user), input, user.organisation !== undefined),
    }),
    endpoint({
      method,
      path: "/backend/usage/sums/export/",
      access,
      input: usageSumsInput,
      summary: "Export the sums of the user's calls by day, model or key, or of an organisation by member or project",
      output: null,
      otherResponses: [
        { status: 200, type: "text/csv", summary: "One line per part, after a line with the column names." },
      ],
      errors: [],
      limits: rangeLimits,
      handle: async ({ user, input: { by, ...input } }) => sumsFile(await views.summary(placeOf(user), input), by),
    }),
  ];
}

function receiptEndpoints(views: UsageViews): AnyEndpoint[] {
  return [
    endpoint({
      method,
      path: "/backend/usage/receipt/",
      access,
      input: usageReceiptInput,
      summary: "Break down the cost of one call, line by line",
      output: usageReceiptResponse,
      errors: ["not_found"],
      handle: async ({ user, input: { day, request_id: requestId } }) => ({
        receipt: await views.receipt(placeOf(user), requestId, day ?? null),
      }),
    }),
    endpoint({
      method,
      path: "/backend/usage/receipt/:request_id/",
      access,
      input: z.strictObject({}),
      summary: "Break down the cost of the call in the path",
      output: usageReceiptResponse,
      params: { request_id: z.uuid() },
      errors: ["not_found"],
      handle: async ({ user, params }) => ({
        receipt: await views.receipt(placeOf(user), (params["request_id"] ?? "").toLowerCase(), null),
      }),
    }),
  ];
}

function otherSumEndpoints(views: UsageViews): AnyEndpoint[] {
  return [
    endpoint({
      method,
      path: "/backend/usage/performance/",
      access,
      input: usagePerformanceInput,
      summary: "Get percentiles of first byte and duration, and throughput, of the user's calls by model",
      output: usagePerformanceResponse,
      errors: [],
      limits: rangeLimits,
      handle: async ({ user, input }) => ({ ...(await views.performance(placeOf(user), input)) }),
    }),
    endpoint({
      method,
      path: "/backend/usage/labels/",
      access,
      input: usageSummaryInput,
      summary: "Sum the user's calls by end user and by tag",
      output: usageLabelsResponse,
      errors: [],
      limits: [
        ...rangeLimits,
        `At most ${usageLabelsMax} end users and ${usageLabelsMax} tags.`,
        `Of a UTC day, the first ${labelsOfDayMax.toLocaleString("en")} end users and as many tags have sums; the others are left out, and has_more is true.`,
      ],
      handle: async ({ user, input }) => ({ ...(await views.labels(placeOf(user), input)) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/usage/labels/save/",
      access,
      input: usageLabelsSaveInput,
      summary: "Keep the end users and tags of the account's calls from now on, or stop keeping them",
      output: usageLabelsSaveInput,
      errors: [],
      handle: async (call) => {
        await views.saveLabels(call.user.gatewayUserId, call.input.are_kept, byCaller(call));
        return { are_kept: call.input.are_kept };
      },
    }),
  ];
}

function earlierEndpoints(views: UsageViews): AnyEndpoint[] {
  return [
    endpoint({
      method,
      path: "/backend/usage/earlier/",
      access,
      input: z.strictObject({}),
      summary: "Sum what the account used in the gateway that it was moved from",
      output: usageEarlierResponse,
      errors: [],
      handle: async ({ user }) => ({ earlier: await views.earlier(placeOf(user)) }),
    }),
    endpoint({
      method,
      path: "/backend/usage/earlier/export/",
      access,
      input: z.strictObject({}),
      summary: "Export what the account used in the gateway that it was moved from, by day and model",
      output: null,
      otherResponses: [
        { status: 200, type: "text/csv", summary: "One line per day and model, after a line with the column names." },
      ],
      errors: ["too_broad"],
      limits: [`At most ${usageExportRowsMax.toLocaleString("en")} lines.`],
      handle: async ({ user }) => earlierFile(await views.earlierDays(placeOf(user))),
    }),
    endpoint({
      method,
      path: "/backend/usage/earlier/calls/export/",
      access,
      input: earlierCallsInput,
      summary: "Export the single calls of the account in the gateway that it was moved from, if they were moved",
      output: null,
      otherResponses: [
        { status: 200, type: "text/csv", summary: "One line per call, after a line with the column names." },
      ],
      errors: ["too_broad"],
      limits: [`At most ${earlierCallsMax.toLocaleString("en")} lines.`],
      handle: async ({ user, input }) => await views.earlierCalls(placeOf(user), input),
    }),
  ];
}
