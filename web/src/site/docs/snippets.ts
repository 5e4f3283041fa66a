import type { SnippetName } from "./snippet-names.ts";
import anthropicPython from "./snippets/anthropic-python.txt?raw";
import anthropicPythonInstall from "./snippets/anthropic-python-install.txt?raw";
import anthropicTypescript from "./snippets/anthropic-typescript.txt?raw";
import anthropicTypescriptInstall from "./snippets/anthropic-typescript-install.txt?raw";
import claudeCodeCheck from "./snippets/claude-code-check.txt?raw";
import claudeCodeSettings from "./snippets/claude-code-settings.txt?raw";
import clineSettings from "./snippets/cline-settings.txt?raw";
import codexCheck from "./snippets/codex-check.txt?raw";
import codexConfig from "./snippets/codex-config.txt?raw";
import continueConfig from "./snippets/continue-config.txt?raw";
import curlChat from "./snippets/curl-chat.txt?raw";
import curlMessages from "./snippets/curl-messages.txt?raw";
import curlModels from "./snippets/curl-models.txt?raw";
import curlStream from "./snippets/curl-stream.txt?raw";
import curlTags from "./snippets/curl-tags.txt?raw";
import cursorSettings from "./snippets/cursor-settings.txt?raw";
import environment from "./snippets/environment.txt?raw";
import geminiCliCheck from "./snippets/gemini-cli-check.txt?raw";
import geminiCliSettings from "./snippets/gemini-cli-settings.txt?raw";
import langchainPython from "./snippets/langchain-python.txt?raw";
import langchainPythonInstall from "./snippets/langchain-python-install.txt?raw";
import langchainTypescript from "./snippets/langchain-typescript.txt?raw";
import langchainTypescriptInstall from "./snippets/langchain-typescript-install.txt?raw";
import litellmPython from "./snippets/litellm-python.txt?raw";
import litellmPythonInstall from "./snippets/litellm-python-install.txt?raw";
import openaiPython from "./snippets/openai-python.txt?raw";
import openaiPythonInstall from "./snippets/openai-python-install.txt?raw";
import openaiTypescript from "./snippets/openai-typescript.txt?raw";
import openaiTypescriptInstall from "./snippets/openai-typescript-install.txt?raw";
import opencodeCheck from "./snippets/opencode-check.txt?raw";
import opencodeConfig from "./snippets/opencode-config.txt?raw";
import toolsPython from "./snippets/tools-python.txt?raw";
import toolsTypescript from "./snippets/tools-typescript.txt?raw";
import vercelAiSdk from "./snippets/vercel-ai-sdk.txt?raw";
import vercelAiSdkInstall from "./snippets/vercel-ai-sdk-install.txt?raw";

/** The texts of the snippets, with placeholders for what differs between installations. */
export const snippets: Readonly<Record<SnippetName, string>> = {
  "anthropic-python": anthropicPython,
  "anthropic-python-install": anthropicPythonInstall,
  "anthropic-typescript": anthropicTypescript,
  "anthropic-typescript-install": anthropicTypescriptInstall,
  "claude-code-check": claudeCodeCheck,
  "claude-code-settings": claudeCodeSettings,
  "cline-settings": clineSettings,
  "codex-check": codexCheck,
  "codex-config": codexConfig,
  "continue-config": continueConfig,
  "curl-chat": curlChat,
  "curl-tags": curlTags,
  "curl-messages": curlMessages,
  "curl-models": curlModels,
  "curl-stream": curlStream,
  "cursor-settings": cursorSettings,
  environment,
  "gemini-cli-check": geminiCliCheck,
  "gemini-cli-settings": geminiCliSettings,
  "langchain-python": langchainPython,
  "langchain-python-install": langchainPythonInstall,
  "langchain-typescript": langchainTypescript,
  "langchain-typescript-install": langchainTypescriptInstall,
  "litellm-python": litellmPython,
  "litellm-python-install": litellmPythonInstall,
  "openai-python": openaiPython,
  "openai-python-install": openaiPythonInstall,
  "openai-typescript": openaiTypescript,
  "openai-typescript-install": openaiTypescriptInstall,
  "opencode-check": opencodeCheck,
  "opencode-config": opencodeConfig,
  "tools-python": toolsPython,
  "tools-typescript": toolsTypescript,
  "vercel-ai-sdk": vercelAiSdk,
  "vercel-ai-sdk-install": vercelAiSdkInstall,
};
