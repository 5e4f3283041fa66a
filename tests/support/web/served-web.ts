import { addFirstPlans } from "@sluice/control-plane/payments/plans/plans.ts";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { builtWeb } from "./web-build.ts";

/** What a browser accepts when it opens a page. */
export const html = { accept: "text/html" };

/** The program with the web UI and the first plans, at `https://gateway.example` for its pages. */
export type ServedWeb = {
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  /** Requests a path; what comes back is not decompressed, and no redirect is followed. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
  readonly close: () => Promise<void>;
};

export async function startServedWeb(): Promise<ServedWeb> {
  const rig = await SluiceRig.create("http://127.0.0.1:9");
  await rig.db.withTransaction(addFirstPlans);
  const sluice = await rig.startProcess({ WEB_DIST: await builtWeb(), PUBLIC_BASE_URL: "https://gateway.example" });
  return {
    rig,
    sluice,
    get: (path, headers = {}, method = "GET") =>
      fetch(`${sluice.url}${path}`, { method, headers, redirect: "manual", decompress: false }),
    close: () => rig.close(),
  };
}
