import { completeHelp } from "../platform/help-link.ts";

/** Adds the headers that every response to a call has. @param siteUrl where the pages about errors are */
export function markCall(headers: Record<string, string>, requestId: string, siteUrl: string): void {
  headers["x-request-id"] = requestId;
  headers["cache-control"] ??= "no-store";
  headers["x-content-type-options"] = "nosniff";
  completeHelp(headers, siteUrl);
}
