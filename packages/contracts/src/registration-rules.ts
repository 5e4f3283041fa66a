/** The words and bounds of registration that pages need without the schemas. */

/** Who may register: everybody, those with an address of some domains or an invitation, those with an invitation, nobody. */
export const registrationModes = ["open", "domains", "invitation", "closed"] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export const domainsMax = 500;
export const invitationUsesMax = 10_000;
/** Each bit doubles the work; 24 bits take a browser minutes. */
export const proofBitsMax = 24;

/** Why somebody got no credit: which limit was reached. */
export const creditRefusals = ["address", "network_day", "network", "device_day", "device", "day"] as const;
export type CreditRefusal = (typeof creditRefusals)[number];
