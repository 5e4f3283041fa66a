import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  priceDataState,
  removePricesInput,
  savePriceSourceInput,
  uploadPricesInput,
} from "@sluice/contracts/price-data";
import { priceUploadBytesMax } from "@sluice/contracts/price-file-limits";
import { z } from "zod";
import { audit, byCaller } from "../../../admin/audit/service.ts";
import { listSoldModels } from "../../../models/model-store.ts";
import type { Database } from "../../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../../platform/endpoint/model.ts";
import { AppError } from "../../../platform/errors.ts";
import { Semaphore, SemaphoreFullError } from "../../../platform/semaphore.ts";
import { parseBaseUrl } from "../../channels/model.ts";
import { listEnabledAbilities, listEnabledChannels } from "../../channels/store.ts";
import { openPriceData, priceData } from "../proposals/price-data.ts";
import { comparePrices } from "./compare-prices.ts";
import { type FetchDeps, fetchPriceData } from "./fetch-price-data.ts";
import { findPriceData, storePrices, storeUrl, toStoredData } from "./price-data-store.ts";
import { readPriceFile } from "./read-price-file.ts";

const subject = { subjectKind: "price_data" };

/** What admins do with provider prices; none of it changes a price of the catalog. */
export function priceDataEndpoints(deps: FetchDeps): AnyEndpoint[] {
  return [stateEndpoint(deps), uploadEndpoint(deps), sourceEndpoint(deps), fetchEndpoint(deps), removeEndpoint(deps)];
}

function stateEndpoint({ db }: FetchDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/price-data/",
    access: "admin",
    input: z.strictObject({}),
    output: priceDataState,
    errors: [],
    summary: "Get the known provider prices, and where the catalog differs from them",
    handle: async () => await readState(db),
  });
}

async function readState(db: Database) {
  const row = await findPriceData(db);
  const stored = toStoredData(row);
  const opened = new Map<string, ReturnType<typeof openPriceData>>();
  const pricesOf = (source: string) => {
    const found = opened.get(source) ?? openPriceData(source, stored);
    opened.set(source, found);
    return found;
  };
  const [models, abilities, channels] = await Promise.all([
    listSoldModels(db),
    listEnabledAbilities(db),
    listEnabledChannels(db),
  ]);
  const { comparisons, compared } = await comparePrices({ models, abilities, channels }, pricesOf);
  return {
    stored:
      row === null || stored === null || row.storedAt === null
        ? null
        : {
            kind: row.kind ?? "upload",
            name: row.name ?? "",
            providers: row.providersCount,
            models: row.modelsCount,
            stored_at: row.storedAt,
            stored_by: row.storedBy ?? "",
          },
    shipped: `${priceData.name} ${priceData.version} of ${priceData.date}`,
    url: row?.url ?? null,
    check:
      row === null || row.checkedAt === null
        ? null
        : { checked_at: row.checkedAt, is_ok: row.isCheckOk === true, result: row.checkResult ?? "" },
    comparisons: [...comparisons],
    compared,
  };
}

function uploadEndpoint({ db }: FetchDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/price-data/upload/"),
    input: uploadPricesInput,
    bodyBytesMax: priceUploadBytesMax,
    output: z.strictObject({ providers: z.int() }),
    errors: [],
    limits: ["A file of at most 8 MiB, 300 providers and 20,000 models."],
    summary: "Replace the known provider prices with those of a file; catalog prices stay as they are",
    handle: async (call) => {
      const { file_name: name, content, reason } = call.input;
      const providers = await readPriceFile(Buffer.from(content));
      await db.withTransaction(async (tx) => {
        await storePrices(tx, { providers, kind: "upload", name, storedBy: call.admin.username }, null);
        const after = { name, providers: providers.length };
        await audit(tx, byCaller(call), "price_data.upload", { ...subject, subjectId: "upload", after, reason });
      });
      return { providers: providers.length };
    },
  });
}

function sourceEndpoint({ db }: FetchDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/price-data/source/save/"),
    input: savePriceSourceInput,
    output: z.strictObject({ url: z.string().nullable() }),
    errors: [],
    summary: "Set or remove the address from which provider prices are fetched every night",
    handle: async (call) => {
      const { url, reason } = call.input;
      if (url !== null) {
        checkUrl(url);
      }
      await db.withTransaction(async (tx) => {
        const before = { url: (await findPriceData(tx))?.url ?? null };
        await storeUrl(tx, url);
        const change = { ...subject, subjectId: "url", before, after: { url }, reason };
        await audit(tx, byCaller(call), "price_data.source", change);
      });
      return { url };
    },
  });
}

/** @throws AppError `invalid_value` */
function checkUrl(url: string): void {
  try {
    parseBaseUrl(url.replace(/[?#].*$/, ""));
  } catch {
    throw new AppError("invalid_value", { fields: { url: "Enter an address like https://prices.example/data.json." } });
  }
}

function fetchEndpoint(deps: FetchDeps): AnyEndpoint {
  const once = new Semaphore({ runningMax: 1, waitingMax: 0, waitMsMax: 1 });
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/price-data/fetch/"),
    input: z.strictObject({}),
    output: z.strictObject({ is_ok: z.boolean(), result: z.string() }),
    errors: ["too_many_attempts", "not_found"],
    limits: ["One at a time.", "The server has 25 seconds; its file may have 8 MiB."],
    summary: "Fetch provider prices from the address that is set; catalog prices stay as they are",
    handle: async (call) => {
      try {
        const result = await once.run(() => fetchPriceData(deps, byCaller(call)));
        if (result === null) {
          throw new AppError("not_found", { message: "No address is set." });
        }
        return { is_ok: result.isOk, result: result.text };
      } catch (error) {
        if (error instanceof SemaphoreFullError) {
          throw new AppError("too_many_attempts", { message: "A fetch is already running.", retryAfterSeconds: 5 });
        }
        throw error;
      }
    },
  });
}

function removeEndpoint({ db }: FetchDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/price-data/remove/"),
    input: removePricesInput,
    output: z.strictObject({}),
    errors: [],
    summary: "Return to the provider prices that ship with the program",
    handle: async (call) => {
      await db.withTransaction(async (tx) => {
        await storePrices(tx, null, null);
        const change = { ...subject, subjectId: "shipped", reason: call.input.reason };
        await audit(tx, byCaller(call), "price_data.remove", change);
      });
      return {};
    },
  });
}
