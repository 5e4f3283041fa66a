import type { ListModelsInput } from "@sluice/contracts/catalog-admin";
import type { proposedModels } from "@sluice/contracts/model-proposals";
import { findPreset } from "@sluice/contracts/provider-presets";
import { type Dialect, dialects } from "@sluice/contracts/upstreams";
import type { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import { type Endpoint, toUpstream } from "../channels/model.ts";
import { findModelNames } from "./catalog-admin-store.ts";
import { findPriceData, toStoredData } from "./price-data/price-data-store.ts";
import { clean, type Exchange, messageIn, type Probes } from "./probe/exchange.ts";
import { type ProbedChannel, readProbed } from "./probe/probe-target.ts";
import type { ListedModel } from "./proposals/model.ts";
import { openPriceData } from "./proposals/price-data.ts";
import { proposableNames, proposeModels } from "./proposals/propose-models.ts";
import { named, readModelList } from "./proposals/read-model-list.ts";
import type { ChannelTestDeps } from "./test-channel.ts";

const responseBytesMax = 8 * 1024 * 1024;
/** Where each dialect has its list, relative to its address. */
const usualLists: Readonly<Record<Dialect, string>> = {
  chat: "models",
  responses: "models",
  messages: "v1/models?limit=1000",
  gemini: "v1beta/models?pageSize=1000",
  cohere: "v1/models?page_size=1000",
};

/**
 * The models that an upstream lists, or those that were named, each as it would be in the catalog.
 * @throws AppError `not_found`, `conflict`, `secret_required`, `too_many_attempts`, `invalid_value` with what the
 * provider said, at the field that it is about
 */
export async function listUpstreamModels(
  deps: ChannelTestDeps,
  input: ListModelsInput,
): Promise<z.input<typeof proposedModels>> {
  const probed = await readProbed(deps, input);
  const listed = input.names === undefined ? await fetchList(deps, probed) : readNames(input.names);
  const source = findPreset(probed.upstream.preset)?.priceSource ?? null;
  const isCustom = probed.upstream.preset === null;
  const findPrices =
    source === null && !isCustom ? () => null : await openPriceData(source, toStoredData(await findPriceData(deps.db)));
  const inCatalog = await findModelNames(deps.db, proposableNames(listed));
  const { models, leftOut } = proposeModels(listed, findPrices, (name) => inCatalog.has(name));
  return { models: [...models], left_out: leftOut };
}

function readNames(names: readonly string[]): readonly ListedModel[] {
  return [...new Set(names)].flatMap((name) => named(name) ?? []);
}

async function fetchList(deps: ChannelTestDeps, probed: ProbedChannel): Promise<readonly ListedModel[]> {
  const { exchange, dialect } = await askForList(deps.probes, probed);
  const isAccepted = exchange.status !== null && exchange.status >= 200 && exchange.status < 300;
  const listed = isAccepted ? readModelList(exchange.body) : null;
  if (listed === null) {
    throw refusal(exchange, dialect, probed.credential);
  }
  return listed;
}

/** Asks an upstream for its list of models. @throws AppError `invalid_value` if it has none, `too_many_attempts` */
export async function askForList(
  probes: Probes,
  asked: Pick<ProbedChannel, "upstream" | "credential" | "pinnedAddress">,
): Promise<{ readonly exchange: Exchange; readonly dialect: Dialect }> {
  const { endpoints, changes } = toUpstream(asked.upstream);
  const { dialect, endpoint, target } = placeOf(asked, endpoints);
  const headers = dialect === "messages" ? ([["anthropic-version", "2023-06-01"]] as const) : [];
  const exchange = await probes.exchange(
    { ...asked, endpoint, changes },
    { method: "GET", target, headers, body: null, responseBytesMax },
  );
  return { exchange, dialect };
}

function placeOf(
  { upstream }: Pick<ProbedChannel, "upstream">,
  endpoints: ReadonlyMap<Dialect, Endpoint>,
): { readonly dialect: Dialect; readonly endpoint: Endpoint; readonly target: string } {
  const list = findPreset(upstream.preset)?.modelList;
  if (list === null) {
    throw new AppError("invalid_value", {
      fields: { names: "This provider has no list of models. Enter the names of those that you want." },
    });
  }
  const usual = dialects.find((each) => endpoints.has(each));
  const dialect = list !== undefined && endpoints.has(list.dialect) ? list.dialect : usual;
  const endpoint = dialect === undefined ? undefined : endpoints.get(dialect);
  if (dialect === undefined || endpoint === undefined) {
    throw new Error("an upstream has at least one address");
  }
  const path = list?.dialect === dialect ? list.path : usualLists[dialect];
  return { dialect, endpoint, target: path.startsWith("/") ? path : `${endpoint.basePath}/${path}` };
}

/** Why the list could not be fetched, at the field to correct. */
export function refusal({ status, body, problem }: Exchange, dialect: Dialect, credential: string | null): AppError {
  const address = `upstream.dialects.${dialect}.base_url`;
  const said = messageIn(body);
  const words = said === null ? "" : ` It said: ${clean(said, credential)}`;
  if (status === 401 || status === 403) {
    const text =
      credential === null
        ? `The provider requires a credential (status ${status}).${words}`
        : `The provider refused this credential (status ${status}).${words}`;
    return new AppError("invalid_value", { fields: { credential: text } });
  }
  const text =
    status === null
      ? `No list was received. ${clean(problem ?? "There was no response.", credential)}`
      : status === 404 || status === 405
        ? `This address has no list of models (status ${status}). Check it, or enter the names of the models.`
        : `The provider sent no list of models (status ${status}).${words}`;
  return new AppError("invalid_value", { fields: { [address]: text } });
}
