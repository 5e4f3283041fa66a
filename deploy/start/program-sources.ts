/** The programs of the control plane that a start runs, by their files in the checkout. */
export const programSources = {
  check: "control-plane/src/commands/check-settings.ts",
  doctor: "control-plane/src/commands/doctor.ts",
  audit: "control-plane/src/commands/audit-money.ts",
  migrate: "control-plane/src/commands/migrate.ts",
  seed: "control-plane/src/commands/seed.ts",
  worker: "control-plane/src/main.ts",
} as const;

/** Threads are programs of their own: a build has each under its name, where the control plane looks for it. */
export const threadSources: readonly string[] = [
  "control-plane/src/compose/books-work.ts",
  "control-plane/src/compose/side-work.ts",
  "control-plane/src/payments/invoices/pdf/render-thread.ts",
];

export type ProgramCommands = Readonly<Record<keyof typeof programSources, readonly string[]>>;

/** The commands of these programs, each the path of its file. */
export function commandsOf(toPath: (source: string) => string): ProgramCommands {
  const commands = Object.entries(programSources).map(([name, source]) => [name, [toPath(source)]]);
  return Object.fromEntries(commands) as ProgramCommands;
}
