/** The name that a service has until its operator gives it another. */
export const defaultBrandName = "Sluice";

/** What the pages of a service show of its operator. */
export type Brand = {
  readonly name: string;
  /** The e-mail address for support; empty if there is none. */
  readonly support_address: string;
  /** Whether pages say which program this is. */
  readonly says_powered_by: boolean;
};
