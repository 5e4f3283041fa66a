import type { brandingResponse } from "@sluice/contracts/branding";
import type { ResponseOf } from "@sluice/contracts/wire";

export const brandingPath = "/backend/admin/branding/";

export type BrandingData = ResponseOf<typeof brandingResponse>;
