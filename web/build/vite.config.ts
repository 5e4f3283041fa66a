import type { InlineConfig } from "vite";

// The environment must not change this: people get exactly what is built here.
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
    // The heads of the documents name everything they load, so no script has to preload modules.
    modulePreload: false,
  },
};
