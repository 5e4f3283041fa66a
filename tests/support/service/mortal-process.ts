import { findFreePort } from "@sluice/deploy/start/port";
import type { SluiceProcess, SluiceRig } from "./sluice.ts";

type Environment = Readonly<Record<string, string>>;

/** A process that is killed and restarted at the same address and with the same data, for as long as needed. */
export class MortalProcess {
  readonly #rig: SluiceRig;
  readonly #env: Environment;
  current: SluiceProcess;

  private constructor(rig: SluiceRig, env: Environment, current: SluiceProcess) {
    this.#rig = rig;
    this.#env = env;
    this.current = current;
  }

  static async born(rig: SluiceRig, env: Environment): Promise<MortalProcess> {
    const first = { ...env, PORT: String(await findFreePort()) };
    const current = await rig.startProcess(first);
    return new MortalProcess(rig, { ...first, DATA_DIR: current.dataDirectory }, current);
  }

  async dieAndRise(): Promise<void> {
    await this.current.kill();
    await this.rise();
  }

  /** Starts the process, which has ended. */
  async rise(): Promise<void> {
    this.current = await this.#rig.startProcess(this.#env);
  }
}
