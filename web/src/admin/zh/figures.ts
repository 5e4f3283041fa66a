export const figuresZh = {
  "For the chosen days": "所选日期",
  Now: "当前",
  "How calls ended": "调用情况",
  Figures: "数字说明",
  "Each figure is counted the same way on every page, in files and in the API.":
    "每个数字在所有页面、文件和 API 中的统计方式相同。",
};
