import { managementTokenPrefix } from "@sluice/contracts/token-prefix";
import { readAddress } from "../address.ts";
import { Api } from "../api.ts";
import type { Call, Command, Output } from "../command.ts";
import { Failure } from "../failure.ts";
import { forgetLogin, storeLogin } from "../store-login.ts";

/** Asks for an access token, tries it and stores it. */
async function logIn({ input, options, env }: Call): Promise<Output> {
  const url = readAddress(options["url"] ?? "", "--url");
  const token = await input.secret(
    `Create an access token at ${url}/console/tokens/ or ${url}/admin/tokens/.\nAccess token: `,
  );
  if (!token.startsWith(managementTokenPrefix)) {
    throw new Failure("usage", `An access token begins with ${managementTokenPrefix}.`);
  }
  const { kind, name } = await new Api({ url, token }).owner();
  const path = await storeLogin(env, { url, token });
  return { json: { name, kind, url }, text: `Logged in as ${name} (${kind}). The token is in ${path}.` };
}

async function logOut({ env }: Call): Promise<Output> {
  await forgetLogin(env);
  return { json: {}, text: "Logged out here. Revoke the token where you created it if nothing else uses it." };
}

async function whoAmI({ connect }: Call): Promise<Output> {
  const { kind, name } = await (await connect()).owner();
  return { json: { name, kind }, text: `${name} (${kind})` };
}

export const loginCommands: readonly Command[] = [
  {
    name: "login",
    text: "Stores an access token, which is read from the standard input or asked for.",
    options: {
      url: { type: "string", text: "The address of the service, such as https://api.example.org.", isRequired: true },
    },
    run: logIn,
  },
  { name: "logout", text: "Forgets the stored token.", run: logOut },
  { name: "whoami", text: "Shows whose token it is.", run: whoAmI },
];
