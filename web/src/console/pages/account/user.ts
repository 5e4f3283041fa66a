import type { userResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";

export type User = ResponseOf<typeof userResponse>["user"];
