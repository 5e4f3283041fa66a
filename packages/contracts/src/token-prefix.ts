/** What every access token begins with, so that scanners recognise it and nobody takes it for an API key. */
export const managementTokenPrefix = "sl-mgmt-";
