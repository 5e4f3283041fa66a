import type { Client } from "../model.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropicTypescript } from "./anthropic-typescript.ts";
import { googleGenai } from "./google-genai.ts";
import { langchainTypescript } from "./langchain-typescript.ts";
import { openaiTypescript } from "./openai-typescript.ts";
import { requestSamples } from "./request-samples.ts";

export const typescriptClients: readonly Client[] = [
  ...openaiTypescript,
  ...anthropicTypescript,
  googleGenai,
  ...aiSdk,
  ...langchainTypescript,
  ...requestSamples,
];
