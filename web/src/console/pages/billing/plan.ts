import type { planListResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Plan = ResponseOf<typeof planListResponse>["plans"][number];
