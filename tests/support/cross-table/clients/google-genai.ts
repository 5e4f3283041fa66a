/** Google's own client for TypeScript. */
import {
  type Content,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";
import {
  type Ask,
  type Client,
  hasTool,
  picture,
  type SeenTurn,
  systemText,
  toolName,
  toolResult,
  toolSchema,
  toolText,
} from "../model.ts";

async function converse(ask: Ask): Promise<SeenTurn[]> {
  const { origin, apiKey, model, theme, prompt, isStream } = ask;
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
  const image: Part = { inlineData: { mimeType: "image/png", data: picture } };
  const contents: Content[] = [{ role: "user", parts: [{ text: prompt }, ...(theme === "images" ? [image] : [])] }];
  const declaration = { name: toolName, description: toolText, parametersJsonSchema: toolSchema };
  const turns: SeenTurn[] = [];
  for (;;) {
    const request: GenerateContentParameters = {
      ...{ model, contents },
      config: {
        systemInstruction: systemText,
        ...(hasTool(theme) ? { tools: [{ functionDeclarations: [declaration] }] } : {}),
        ...(theme === "thinking" ? { thinkingConfig: { includeThoughts: true } } : {}),
      },
    };
    const responses = isStream
      ? await Array.fromAsync(await client.models.generateContentStream(request))
      : [await client.models.generateContent(request)];
    const parts = responses.flatMap((response) => response.candidates?.[0]?.content?.parts ?? []);
    turns.push(readParts(responses, parts));
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0) {
      return turns;
    }
    contents.push({ role: "model", parts });
    contents.push({
      role: "user",
      parts: calls.map(({ id, name }) => ({
        functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? "", response: { output: toolResult } },
      })),
    });
  }
}

function readParts(responses: readonly GenerateContentResponse[], parts: readonly Part[]): SeenTurn {
  const texts = parts.filter(({ thought, text = "" }) => thought !== true && text !== "");
  const usage = responses.at(-1)?.usageMetadata;
  const thoughts = usage?.thoughtsTokenCount ?? 0;
  return {
    text: texts.map(({ text }) => text).join(""),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", arguments: functionCall.args }],
    ),
    finish: responses.at(-1)?.candidates?.[0]?.finishReason ?? null,
    reasoning: parts.map(({ thought, text = "" }) => (thought === true ? text : "")).join(""),
    pieces: responses.length === 1 ? 1 : texts.length,
    usage: {
      input: usage?.promptTokenCount ?? 0,
      output: (usage?.candidatesTokenCount ?? 0) + thoughts,
      cached: usage?.cachedContentTokenCount ?? 0,
      reasoning: thoughts,
    },
  };
}

export const googleGenai: Client = {
  name: "Google GenAI TypeScript",
  dialect: "gemini",
  family: "gemini-3-pro",
  finishes: { done: "STOP", calls: "STOP" },
  converse,
};
