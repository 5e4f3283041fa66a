/** What only the service itself calls. */
export const innerPrograms: Readonly<Record<string, () => Promise<unknown>>> = {
  "check-settings": () => import("@sluice/control-plane/commands/check-settings.ts"),
  seed: () => import("@sluice/control-plane/commands/seed.ts"),
  worker: async () => {
    await import("@sluice/deploy/start/exit-with-parent");
    await import("@sluice/control-plane/main.ts");
  },
  sandbox: async () => {
    await import("@sluice/deploy/start/exit-with-parent");
    await import("@sluice/sandbox-provider/main");
  },
  "draw-pages": () => import("./draw-pages.ts"),
};
