import type { HomeTexts } from "./en.ts";

export const zh: HomeTexts = {
  title: "通往模型 API 的网关",
  description: "一个地址、一把密钥接入模型 API，每次调用都有精确账目。",
  heading: "一把密钥接入模型 API，每次调用账目分明",
  lead: "程序用任意 OpenAI 客户端访问 {path} 即可。密钥可用哪些模型，由 GET /v1/models 给出。",
  prices: "查看价格",
  logIn: "登录",
  example: "第一次调用",
};
