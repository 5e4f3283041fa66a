import { deprecationHeader, sunsetHeader } from "@sluice/contracts/notice-headers";

/** Says since when a model is deprecated (RFC 9745) and when it ends (RFC 8594); null for a model without either. */
export function lifeHeaders(deprecatedAt: Date | null, sunsetAt: Date | null): Readonly<Record<string, string>> | null {
  if (deprecatedAt === null && sunsetAt === null) {
    return null;
  }
  return {
    ...(deprecatedAt === null ? {} : { [deprecationHeader]: `@${Math.floor(deprecatedAt.getTime() / 1_000)}` }),
    ...(sunsetAt === null ? {} : { [sunsetHeader]: sunsetAt.toUTCString() }),
  };
}
