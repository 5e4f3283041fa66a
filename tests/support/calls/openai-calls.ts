import OpenAI from "openai";
import { z } from "zod";

/** A conversation of one message. */
export const ask = (content: string) => [{ role: "user" as const, content }];
export const weatherArguments = z.strictObject({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]) });
export const weatherTool = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["city", "unit"],
      additionalProperties: false,
    },
  },
};
export const timeTool = {
  type: "function" as const,
  function: { name: "get_time", parameters: { type: "object", properties: { zone: { type: "string" } } } },
};

/** The function calls of the first choice. */
export function functionCalls(completion: OpenAI.ChatCompletion) {
  return (completion.choices[0]?.message.tool_calls ?? []).filter((call) => call.type === "function");
}

/** The error with which a call fails. */
export async function refusal(call: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof OpenAI.APIError) {
      return error;
    }
    throw error;
  }
  throw new Error("the call succeeded");
}
