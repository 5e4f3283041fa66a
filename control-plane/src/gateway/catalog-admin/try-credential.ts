import { readFile } from "node:fs/promises";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { openUpstreamGuard } from "../../platform/address-guard.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { askForList, refusal } from "./list-upstream-models.ts";
import { Probes } from "./probe/exchange.ts";

export type TriedCredential = {
  readonly upstream: UpstreamSettings;
  readonly credential: string;
  readonly pinnedAddress: string | null;
};

/** What a provider says to a credential, with no credential in it. */
export type CredentialTrial =
  | { readonly result: "accepted" }
  | { readonly result: "refused" | "unknown"; readonly said: string };

/** Shows credentials to their providers by asking for the list of models, which is free. Four at a time, at most. */
export class CredentialTrials {
  readonly #probes: Probes;
  #client: PooledHttpClient | null = null;

  constructor(config: Config, log: Log) {
    const guard = openUpstreamGuard(config, log);
    const { UPSTREAM_CA_FILE: caFile } = config;
    this.#probes = new Probes(async () => {
      this.#client = new PooledHttpClient({
        guard,
        ...(caFile === undefined ? {} : { tlsCa: await readFile(caFile, "utf8") }),
      });
      return this.#client;
    }, systemClock);
  }

  async try(tried: TriedCredential): Promise<CredentialTrial> {
    try {
      const { exchange, dialect } = await askForList(this.#probes, tried);
      const { status } = exchange;
      if (status !== null && status >= 200 && status < 300) {
        return { result: "accepted" };
      }
      const said = textOf(refusal(exchange, dialect, tried.credential));
      return { result: status === 401 || status === 403 ? "refused" : "unknown", said };
    } catch (error) {
      if (error instanceof AppError) {
        return { result: "unknown", said: textOf(error) };
      }
      throw error;
    }
  }

  close(): void {
    this.#client?.close();
  }
}

function textOf(error: AppError): string {
  return Object.values(error.fields ?? {})[0] ?? error.message;
}
