/** A command of the one-file build. */
export type OneFileCommand = {
  /** For the help; null when only the service itself calls it. */
  readonly about: string | null;
  /** The program is that of the checkout: it runs when it is imported, and reads `process.argv`. */
  readonly run: () => Promise<unknown>;
};

/**
 * By name, which is what `bun run` takes in a checkout where both have the command; but `audit` is a command of the
 * command line, so that the check of the money has a name of its own.
 */
export const oneFileCommands: Readonly<Record<string, OneFileCommand>> = {
  start: {
    about: "start the service: migrate, then serve until SIGTERM",
    run: () => import("./start.ts"),
  },
  migrate: {
    about: "bring the database up to date",
    run: () => import("@sluice/control-plane/commands/migrate.ts"),
  },
  doctor: {
    about: "check what the service needs",
    run: () => import("@sluice/control-plane/commands/doctor.ts"),
  },
  probe: {
    about: "ask the service of this machine whether it takes calls",
    run: () => import("@sluice/control-plane/commands/probe.ts"),
  },
  "money:check": {
    about: "check the money of the whole database",
    run: () => import("@sluice/control-plane/commands/audit-money.ts"),
  },
  import: {
    about: "move customers from another gateway",
    run: () => import("@sluice/control-plane/commands/import.ts"),
  },
  replicas: {
    about: "list replicas, and release what lost ones hold",
    run: () => import("@sluice/control-plane/commands/replicas.ts"),
  },
  "admin:create": {
    about: "create an admin",
    run: () => import("@sluice/control-plane/commands/create-admin.ts"),
  },
  "admin:totp-remove": {
    about: "remove an admin's authenticator",
    run: () => import("@sluice/control-plane/commands/remove-totp.ts"),
  },
  "secrets:rotate": {
    about: "rotate the master key",
    run: () => import("@sluice/control-plane/commands/rotate-secrets.ts"),
  },
  "trace:check": {
    about: "check who read payloads",
    run: () => import("@sluice/control-plane/commands/check-accesses.ts"),
  },
  "usage:rebuild": {
    about: "compare the sums of usage with the log",
    run: () => import("@sluice/control-plane/commands/rebuild-usage.ts"),
  },
  version: { about: "print the version and the facts of the build", run: () => import("./version.ts") },
  "check-settings": { about: null, run: () => import("@sluice/control-plane/commands/check-settings.ts") },
  seed: { about: null, run: () => import("@sluice/control-plane/commands/seed.ts") },
  serve: {
    about: "run one process of the service, for systemd or a container",
    run: () => import("@sluice/control-plane/main.ts"),
  },
  worker: {
    about: null,
    run: async () => {
      await import("@sluice/deploy/start/exit-with-parent");
      await import("@sluice/control-plane/main.ts");
    },
  },
  sandbox: {
    about: null,
    run: async () => {
      await import("@sluice/deploy/start/exit-with-parent");
      await import("@sluice/sandbox-provider/main");
    },
  },
  "draw-pages": { about: null, run: () => import("./draw-pages.ts") },
};
