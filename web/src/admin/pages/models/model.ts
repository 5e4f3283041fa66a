import type { modelList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";

export type Model = RowOf<typeof modelList>;

export const modelsPath = "/backend/admin/model/";
