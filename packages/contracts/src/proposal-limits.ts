/** The most models that one list shows, and the most that one request takes over. */
export const proposedModelsMax = 2_000;
export const adoptedModelsMax = 100;
