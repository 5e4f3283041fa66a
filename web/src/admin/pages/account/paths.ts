/** The paths that an admin's own login is read from. */
export const mePath = "/backend/auth/admin/me/";
export const sessionsPath = "/backend/auth/admin/sessions/";
