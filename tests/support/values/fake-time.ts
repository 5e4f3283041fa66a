import { jest } from "bun:test";

const turnsPerStep = 30;

/** Lets every promise that is ready go as far as it can without time passing. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < turnsPerStep; turn += 1) {
    await Promise.resolve();
  }
}

/** Advances the fake time in steps, and runs what each step released. Needs `jest.useFakeTimers()`. */
export async function passTime(ms: number, stepMs = 5, onStep: () => void = () => undefined): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    jest.advanceTimersByTime(Math.min(stepMs, ms - passed));
    await settlePromises();
    onStep();
  }
}
