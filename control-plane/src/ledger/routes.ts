import { moneyCheckResponse } from "@sluice/contracts/billing";
import { z } from "zod";
import { DatabaseTimeoutError } from "../platform/db-errors.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import type { MoneyCheck } from "./money-check.ts";

const checkMsMax = 10_000;
const rowsShown = 500;

export function moneyCheckEndpoints(check: MoneyCheck, timeoutMs = checkMsMax): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/money-check/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Check the books: list every violated invariant of check_money()",
      output: moneyCheckResponse,
      errors: [],
      handle: async () => {
        try {
          const violations = await check.check(timeoutMs);
          return {
            holds: violations.length === 0,
            count: violations.length,
            violations: violations.slice(0, rowsShown),
          };
        } catch (error) {
          if (error instanceof DatabaseTimeoutError) {
            const message = "The check takes too long for a request. Run the command `audit` instead.";
            throw new AppError("temporarily_unavailable", { message, cause: error });
          }
          throw error;
        }
      },
    }),
  ];
}
