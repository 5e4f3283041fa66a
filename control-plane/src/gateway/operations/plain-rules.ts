import type { OperationRules } from "./model.ts";

/** JSON in, JSON out, and the results are not text. Other rules list the differences. */
export const plain: OperationRules = {
  dialect: "chat",
  isConvertible: false,
  streams: "by_field",
  hasOwnFields: false,
  handling: "call",
  methods: ["POST"],
  optionPlace: null,
  tools: "unread",
  freeTexts: null,
  isRepeatable: false,
  takesUsageOption: false,
  soldBy: null,
  isSilentWhileThinking: false,
  isReadOn: false,
  answers: "json",
  resultList: null,
  output: "items",
  stream: "framed",
  telemetryName: "generate_content",
};
export const written: OperationRules = { ...plain, isReadOn: true, output: "text" };
