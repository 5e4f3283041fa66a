import { type OperationModels, operationEntries } from "./operations.ts";

/** What a model is used for. Only those of kind `chat` appear in chat snippets and in the playground. */
export type ModelKind = OperationModels | "realtime";

const asked = operationEntries.map(([, { models }]) => models);
/** The kinds in the order of the operations that call such models; the kind of sessions comes last. */
export const modelKinds = [...new Set<ModelKind>([...asked, "realtime"])] as [ModelKind, ...ModelKind[]];
