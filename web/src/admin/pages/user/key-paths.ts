export const keyDetailPath = "/backend/admin/key/detail/";

/** What shows a key. */
export const keyPaths = ["/backend/admin/key/", keyDetailPath, "/backend/admin/audit/"] as const;
