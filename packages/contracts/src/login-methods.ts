/** How sessions begin: `sign_in` is another service. */
export const loginMethods = ["password", "sign_in", "passkey"] as const;
export type LoginMethod = (typeof loginMethods)[number];
