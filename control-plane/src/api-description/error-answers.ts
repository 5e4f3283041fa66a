import { type ErrorCode, errorDefinition, errorTable } from "@sluice/contracts/errors";
import type { ErrorDialect, JsonSchema } from "@sluice/contracts/native-route";
import { toMessagesErrorOfCode } from "@sluice/messages-conversion/errors/to-messages-error";

type Answer = { readonly description: string; readonly content: JsonSchema };

/** The error statuses, each with its codes and sentences. */
export function errorAnswers(codes: readonly ErrorCode[], dialect: ErrorDialect): Record<string, Answer> {
  const byStatus = new Map<string, ErrorCode[]>();
  for (const code of codes) {
    const status = statusOf(code, dialect);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, answerOf(some, dialect)]));
}

function statusOf(code: ErrorCode, dialect: ErrorDialect): string {
  return String(dialect === "messages" ? toMessagesErrorOfCode(code).status : errorDefinition(code).status);
}

function answerOf(codes: readonly ErrorCode[], dialect: ErrorDialect): Answer {
  // Other APIs have fewer error types than this one has codes; there, the message tells the codes apart.
  const says = (code: ErrorCode): string => (dialect === "messages" ? errorDefinition(code).message : `\`${code}\``);
  return {
    description: codes.map(says).join(dialect === "messages" ? " " : ", "),
    content: { "application/json": { schema: schemaOf(codes, dialect) } },
  };
}

/** The schema of errors in a dialect. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    description: "What went wrong, as a machine-readable code.",
    oneOf: Object.entries(errorTable).map(([code, { message }]) => ({ const: code, description: message })),
  },
  BackendError: {
    type: "object",
    description: "An error of the backend. `fields` says which input fields are wrong and why.",
    properties: {
      ok: { const: false },
      error: {
        type: "object",
        properties: {
          code: { $ref: "#/components/schemas/ErrorCode" },
          message: { type: "string" },
          request_id: { type: "string" },
          fields: { type: "object", additionalProperties: { type: "string" } },
        },
        required: ["code", "message", "request_id"],
        additionalProperties: false,
      },
    },
    required: ["ok", "error"],
    additionalProperties: false,
  },
  OpenaiError: {
    type: "object",
    description:
      "An error in the form of the OpenAI API. `code` is ours, or the provider's if the message is the provider's.",
    properties: {
      error: {
        type: "object",
        properties: {
          message: { type: "string" },
          type: { type: "string" },
          param: { type: ["string", "null"] },
          code: { type: ["string", "null"] },
        },
        required: ["message", "type", "param", "code"],
      },
    },
    required: ["error"],
  },
  MessagesError: {
    type: "object",
    description: "An error in the form of the Messages API.",
    properties: {
      type: { const: "error" },
      error: {
        type: "object",
        properties: { type: { type: "string" }, message: { type: "string" } },
        required: ["type", "message"],
      },
      request_id: { type: "string" },
    },
    required: ["type", "error"],
  },
  CohereError: {
    type: "object",
    description: "An error in the form of the Cohere API. `code` is ours, or the provider's if the message is.",
    properties: { id: { type: "string" }, message: { type: "string" }, code: { type: ["string", "null"] } },
    required: ["id", "message"],
  },
};

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function schemaOf(codes: readonly ErrorCode[], dialect: ErrorDialect): JsonSchema {
  switch (dialect) {
    case "backend":
      return {
        allOf: [
          ref("BackendError"),
          {
            type: "object",
            properties: {
              error: { type: "object", properties: { code: { type: "string", enum: codes } }, required: ["code"] },
            },
            required: ["error"],
          },
        ],
      };
    case "openai":
      return ref("OpenaiError");
    case "messages":
      return ref("MessagesError");
    case "cohere":
      return ref("CohereError");
  }
}
