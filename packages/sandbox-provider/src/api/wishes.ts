/** What a request wants of the reply, in words of no dialect; each dialect reads it from its own fields. */
export type OfferedTool = {
  readonly name: string;
  /** The group that the tool belongs to, which a call names too. */
  readonly namespace?: string;
  /** The JSON schema of the arguments; null for a custom tool, which takes any text. */
  readonly parameters: unknown;
};

export type ToolChoice = {
  readonly mode: "auto" | "none" | "required";
  /** The tool that must be called. */
  readonly forced: string | null;
  /** The tools that may be called; null for all. */
  readonly allowed: readonly string[] | null;
  readonly isParallel: boolean;
};

export type Wishes = {
  readonly choices: number;
  readonly stop: readonly string[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  /** The text is JSON: any object, or an instance of a schema. */
  readonly structure: "json" | { readonly schema: unknown } | null;
  /** Whether the model reasons, and whether the client sees it. */
  readonly reasoning: "none" | "hidden" | "shown";
  /** The texts of the tool results that the request ends with. */
  readonly toolResults: readonly string[];
};
