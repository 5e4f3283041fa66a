import type { keyListResponse } from "@sluice/contracts/keys";
import type { offeredModelsResponse } from "@sluice/contracts/offered-models";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { QueryClient } from "@tanstack/solid-query";
import { apiGet } from "../../api/client.ts";
import { findEntries, type PaletteSearch } from "../../shell/palette-entries.ts";
import { modelPath } from "../../site/pages/models/model-path.ts";
import { consoleLocale } from "../locales.ts";
import { frameArea } from "../messages/frame.ts";

const freshMs = 60_000;
const keysMax = 100;
const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds the account's newest API keys, the models that it may use, the receipt of a request id, and sections of the docs. */
export async function findOwn(
  client: QueryClient,
  ...[words, open, signal]: Parameters<PaletteSearch>
): ReturnType<PaletteSearch> {
  const texts = frameArea.texts().console;
  const loadKeys = async (): Promise<ResponseOf<typeof keyListResponse>> =>
    await client.fetchQuery({
      queryKey: ["keys", "newest"],
      queryFn: (query) =>
        apiGet<typeof keyListResponse>("/backend/keys/list/", { signal: query.signal, query: { limit: keysMax } }),
      staleTime: freshMs,
    });
  const loadModels = async (): Promise<ResponseOf<typeof offeredModelsResponse>> =>
    await client.fetchQuery({
      queryKey: ["models", null],
      queryFn: (query) => apiGet<typeof offeredModelsResponse>("/backend/models/list/", { signal: query.signal }),
      staleTime: freshMs,
    });
  if (requestId.test(words)) {
    const href = `/console/usage/?open=${words.toLowerCase()}`;
    return [{ label: words, kind: texts.kindCall, onSelect: () => open(href) }];
  }
  const loadDocs = async () => {
    const { findDocs } = await import("../../shell/find-docs.ts");
    return await findDocs(words, { locale: consoleLocale, kind: texts.docs, open, signal });
  };
  const [{ keys }, { models }, docs] = await Promise.all([loadKeys(), loadModels(), loadDocs()]);
  const entries = [
    ...keys.map((key) => ({
      label: key.name,
      kind: texts.kindKey,
      onSelect: () => open(`/console/keys/?open=${key.key_id}`),
    })),
    ...models.map(({ name }) => ({
      label: name,
      kind: texts.kindModel,
      onSelect: () => open(modelPath(name) ?? "/models/"),
    })),
  ];
  return [...findEntries(entries, words), ...docs];
}
