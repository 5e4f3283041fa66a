import type { NotFoundTexts } from "./en.ts";

export const zh: NotFoundTexts = {
  title: "页面不存在",
  description: "这个地址没有页面。",
  heading: "这个地址没有页面",
  text: "页面可能已经移走，也可能是地址写错了。",
  home: "返回首页",
  pricing: "价格",
};
