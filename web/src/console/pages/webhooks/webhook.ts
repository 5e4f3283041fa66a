import type { deliveryListResponse, targetListResponse } from "@sluice/contracts/event-targets";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Webhook = ResponseOf<typeof targetListResponse>["targets"][number];
export type Delivery = ResponseOf<typeof deliveryListResponse>["deliveries"][number];

export const webhooksPath = "/backend/webhooks/list/";
export const deliveriesPath = "/backend/webhooks/deliveries/";
