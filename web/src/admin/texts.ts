/** The admin speaks English; its words stand in one place all the same, so that they stay the same on every page. */
export const adminNavTexts = {
  dashboard: "Dashboard",
  plans: "Plans",
} as const;
