import type { UpstreamFlags } from "@sluice/contracts/upstreams";
import type { HttpHeader } from "@sluice/http-client/model";
import type { CallHeaders } from "../model.ts";

export const versionHeader = "anthropic-version";
/** Required by the API. A client that names no version gets the one that accepts every field. */
const oldestVersion = "2023-06-01";
const versionPattern = /^\d{4}-\d{2}-\d{2}$/;
export const betasHeader = "anthropic-beta";
const betaPattern = /^[A-Za-z0-9._-]{1,64}$/;
const betasMax = 100;
/** A feature that raises the price of tokens by itself; it is passed on only where the channel names it. */
const billedBeta = /^context-1m-/;

/** The headers that only upstreams of the Messages API get: the client's version, and the betas that the channel accepts. */
export function messagesHeaders(headers: CallHeaders, { betas: accepted }: Pick<UpstreamFlags, "betas">): HttpHeader[] {
  const version = headers.get(versionHeader)?.trim() ?? "";
  const betas = (headers.get(betasHeader)?.split(",", betasMax) ?? [])
    .map((beta) => beta.trim())
    .filter((beta) => betaPattern.test(beta) && (accepted?.includes(beta) ?? !billedBeta.test(beta)));
  const versionSent: HttpHeader = [versionHeader, versionPattern.test(version) ? version : oldestVersion];
  return betas.length === 0 ? [versionSent] : [versionSent, [betasHeader, betas.join(",")]];
}
