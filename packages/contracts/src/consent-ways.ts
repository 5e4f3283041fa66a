/**
 * Where somebody accepted a legal page: in the form of a registration, or when the console asked after a login here, a sign-in with
 * another service, or the link of an invitation to an organisation.
 */
export const consentWays = ["registration", "login", "sign_in", "invitation"] as const;
export type ConsentWay = (typeof consentWays)[number];
