import type { tokenListResponse } from "@sluice/contracts/management-tokens";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Token = ResponseOf<typeof tokenListResponse>["tokens"][number];

export const tokensPath = "/backend/tokens/list/";
