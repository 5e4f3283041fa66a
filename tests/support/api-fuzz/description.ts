import { Validator } from "@seriousme/openapi-schema-validator";
import type { ApiDocument } from "@sluice/control-plane/api-description/model.ts";

/** The description as the program serves it. */
export async function readDescription(url: string): Promise<ApiDocument> {
  return (await (await fetch(`${url}/backend/openapi.json`)).json()) as ApiDocument;
}

/** The same with every part in place of its reference, resolved by an independent library. */
export function resolveDescription(document: ApiDocument): ApiDocument {
  const specification = structuredClone(document) as Record<string, unknown>;
  return new Validator().resolveRefs({ specification }) as ApiDocument;
}
