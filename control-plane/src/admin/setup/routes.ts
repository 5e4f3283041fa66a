import { noInput } from "@sluice/contracts/billing";
import { setupOutput } from "@sluice/contracts/setup";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { readSetup, type SetupDeps } from "./service.ts";

/** What is left to set up before customers come. */
export function setupEndpoints(deps: SetupDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/setup/",
      access: "admin",
      input: noInput,
      output: setupOutput,
      errors: [],
      summary: "Get which steps of the first set-up are done",
      handle: async () => ({ steps: await readSetup(deps) }),
    }),
  ];
}
