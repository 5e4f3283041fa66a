import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export type RealIssuer = {
  readonly url: string;
  /** Lets the program come back to this address. */
  readonly allow: (callbackUrl: string) => void;
  readonly close: () => Promise<void>;
};

export const realClient = { id: "sluice", secret: "a secret of at least thirty-two characters" };

/**
 * An issuer as operators run it: a certified program with its own login pages, on a real port. Who logs in there as
 * `ada` is `ada@issuer.example`, whom it has verified; with `un` before the name it has not.
 */
export async function startRealIssuer(): Promise<RealIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirects: string[] = [];
  let handle: ReturnType<Provider["callback"]> | null = null;
  server.on("request", (request, response) => handle?.(request, response));
  return {
    url,
    allow: (callbackUrl) => {
      redirects.push(callbackUrl);
      handle = openProvider(url, redirects).callback();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function openProvider(url: string, redirects: readonly string[]): Provider {
  return new Provider(url, {
    clients: [
      {
        client_id: realClient.id,
        client_secret: realClient.secret,
        redirect_uris: [...redirects],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a key of the test"] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@issuer.example`,
        email_verified: !sub.startsWith("un"),
        name: sub,
      }),
    }),
  });
}
