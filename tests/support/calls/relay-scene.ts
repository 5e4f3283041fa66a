import { addModel } from "@sluice/control-plane/models/add-model.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type Arrangement, type SluiceProcess, SluiceRig, type TestUser } from "../service/sluice.ts";
import { patienceMs } from "../values/patience.ts";

/** A provider, a rig on it, one started arrangement, and a user with plenty of quota. */
export type RelayScene = {
  readonly provider: SandboxProvider;
  readonly rig: SluiceRig;
  /** Where calls go. */
  readonly sluice: SluiceProcess;
  /** The process that holds the gateway: the same one, unless the arrangement is split. */
  readonly gateway: SluiceProcess;
  readonly user: TestUser;
  close(): Promise<void>;
};

export type SceneOptions = {
  readonly env?: Record<string, string>;
  /** Run before the processes start, so that what it stores is there from the first call. */
  readonly prepare?: (rig: SluiceRig, provider: SandboxProvider) => Promise<void>;
};

/** Starts everything that a test of responses needs; `close` ends it. */
export async function startRelayScene(arrangement: Arrangement, options: SceneOptions = {}): Promise<RelayScene> {
  const provider = startSandboxProvider();
  const rig = await SluiceRig.create(provider.url);
  const close = async (): Promise<void> => {
    await rig.close();
    await provider.stop();
  };
  try {
    await options.prepare?.(rig, provider);
    const user = await rig.addUser();
    const env = options.env ?? {};
    const isSplit = arrangement === "split";
    const gateway = await rig.startProcess(isSplit ? { ...env, ROLES: "gateway,jobs" } : env);
    const relayEnv = { ...env, ROLES: "relay,backend", UPSTREAM_GATEWAY_URL: gateway.url };
    return { provider, rig, sluice: isSplit ? await rig.startProcess(relayEnv) : gateway, gateway, user, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A model served by its own channel, so that whatever happens to that channel affects no other model. */
export async function addModelWithChannel(
  rig: SluiceRig,
  name: string,
  baseUrl: string,
  credential?: string,
): Promise<void> {
  const bounds = { contextTokensMax: 128_000, outputTokensMax: 16_384, imageTokensMax: 50_000 };
  await rig.db.withTransaction(async (tx) => {
    const price = { input_usd_per_m: "0.15", output_usd_per_m: "0.60" };
    await addModel(tx, { name, displayName: name, ownedBy: "test", ...bounds }, price);
  });
  await rig.addChannel(`channel-${name}`, baseUrl, [name], credential);
}

/** Polls until the result is true: for conditions in the database or in another process. */
export async function waitUntil(isSo: () => Promise<boolean>, timeoutMs = patienceMs): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) {
      throw new Error(`it did not become so within ${timeoutMs} ms`);
    }
    await Bun.sleep(20);
  }
}
