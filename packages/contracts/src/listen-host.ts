/** Addresses that other machines can't reach. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

export type ListenSettings = {
  readonly host: string;
  readonly isProduction: boolean;
  /** `DEVELOPMENT_ON_NETWORK`: the operator's statement that others may reach a service without safeguards. */
  readonly isNetworkAllowed: boolean;
};

/** Whether other machines can reach a service that is not in production. */
export function isOpenDevelopment({ host, isProduction }: Omit<ListenSettings, "isNetworkAllowed">): boolean {
  return !(isProduction || loopback.test(host));
}

/** The problem with the address to listen on, or null. */
export function listenProblem(settings: ListenSettings): string | null {
  if (!isOpenDevelopment(settings) || settings.isNetworkAllowed) {
    return null;
  }
  return (
    `${settings.host} opens the service to other machines, and in development it has no safeguards: orders are settled ` +
    "without a payment, and links of mails are shown. Set NODE_ENV=production, or DEVELOPMENT_ON_NETWORK=true to do it anyway"
  );
}
