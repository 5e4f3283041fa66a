/** What operators say that a model can do; without their word, what its name says counts. */
export const statedCapabilities = ["tools", "reasoning", "structured_output", "audio_input"] as const;
export type StatedCapability = (typeof statedCapabilities)[number];

/** What pages say that a model can do. Whether it reads images follows from the price of one. */
export const modelCapabilities = ["vision", ...statedCapabilities] as const;
export type ModelCapability = (typeof modelCapabilities)[number];
