import type { UnavailableTexts } from "./en.ts";

export const zh: UnavailableTexts = {
  title: "暂时不可用",
  description: "暂时无法显示此页面。",
  heading: "暂时无法显示此页面",
  text: "我们这边出了问题，或服务正在维护。请过一分钟再试。",
  again: "重试",
};
