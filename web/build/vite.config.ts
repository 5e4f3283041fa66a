import type { InlineConfig } from "vite";

// Whatever the environment says: what is built here is what people get.
process.env["NODE_ENV"] = "production";

/** The settings shared by all builds. */
export const settings: InlineConfig = {
  mode: "production",
  configFile: false,
  logLevel: "error",
  envFile: false,
  publicDir: false,
  build: {
    // The browsers that support light-dark(), popovers and logical properties.
    target: ["chrome123", "firefox125", "safari17.5"],
    emptyOutDir: false,
    // Documents name in their heads what they load; no script has to.
    modulePreload: false,
  },
};
