import type { ChangelogTexts } from "./en.ts";

export const zh: ChangelogTexts = {
  title: "API 变更",
  description: "调用 API 的程序会遇到的变更，最新的在前，也提供订阅源。",
  lead: "调用 API 的程序会遇到的变更，最新的在前。这里的任何变更都不会让以前可用的请求失效。何时安装新版本由您的运营方决定。",
  feed: "可通过[订阅源]({feed})（Atom）关注这些变更。",
  change: {
    errorLink: "错误响应带有 `Link` 标头，指向[错误页面](/docs/errors/)中该错误的代码。",
    capabilities: "[模型列表](/models/)标明每个模型的能力，可按任意列排序，登录后显示您所在分组的价格。",
    tags: "调用可在 `x-sluice-tags` 标头中携带标签，并在 `safety_identifier`、`user` 或 `metadata.user_id` 中注明您的最终用户。用量可按两者汇总。",
    organisations: "多人可以作为一个组织共享同一余额。程序在 `x-organisation` 标头中指明组织。",
    fallback:
      "如果由其他模型代替您请求的模型作答，`x-sluice-model-used` 会注明该模型。`x-sluice-fallback: off` 可对单次调用拒绝这种代替。",
    cache: "密钥可以让重复的请求由已保存的响应来回答。`x-sluice-cache` 表明响应是否来自缓存。",
    cohere: "`/v2/rerank` 接受 Cohere 客户端的请求。",
    gemini: "Gemini 客户端可使用 `/v1beta`：`:generateContent`、`:streamGenerateContent`、`:countTokens` 和嵌入。",
    convert:
      "Chat completions、Responses 和 Messages 适用于所有聊天模型：如果提供商只支持其中一种 API，请求会自动转换。`x-sluice-dropped` 和 `x-compat-dropped` 会注明被省略的内容。",
    ending:
      "即将停用的模型的响应带有 `Deprecation` 和 `Sunset` 标头，`/v1/models` 也会注明。已停止服务的模型会以 `model_ended` 拒绝。",
    keyUsage: "`/v1/usage`、`/v1/credits` 和 `/v1/key` 说明密钥已花费多少、还能花费多少。",
    first: "首个版本 0.1.0：`/v1` 供 OpenAI 客户端使用，`/msgcompat` 供 Anthropic 客户端使用。",
  },
};
