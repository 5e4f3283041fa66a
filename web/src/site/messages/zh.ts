import type { FrameTexts } from "./en.ts";

export const zh: FrameTexts = {
  skip: "跳到正文",
  navigation: "主导航",
  menu: "菜单",
  models: "模型",
  pricing: "价格",
  docs: "文档",
  enterprise: "企业合作",
  logIn: "登录",
  signUp: "注册",
  console: "控制台",
  language: "语言",
  footer: "{brand} 把请求转发到各家模型 API，并为每一次调用记清账目。",
  footerNavigation: "更多页面",
  support: "技术支持",
  poweredBy: "由 {program} 提供支持",
  announcement: "公告",
  terms: "服务条款",
  privacy: "隐私政策",
  imprint: "法律声明",
};
