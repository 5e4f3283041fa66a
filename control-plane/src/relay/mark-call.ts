import { completeHelp } from "../platform/help-link.ts";
import type { IdentifiedAnswer } from "./model.ts";

/** Adds the headers that every response to a call has. @param siteUrl where the pages about errors are */
export function markCall(answer: IdentifiedAnswer, siteUrl: string): IdentifiedAnswer {
  const { headers, requestId } = answer;
  headers["x-request-id"] = requestId;
  headers["cache-control"] ??= "no-store";
  headers["x-content-type-options"] = "nosniff";
  completeHelp(headers, siteUrl);
  return answer;
}
