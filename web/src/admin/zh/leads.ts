export const leadsZh = {
  Company: "公司",
  Contact: "联系人",
  "Expected usage": "预计用量",
  Asked: "提交时间",
  "Companies that asked about larger usage through the public contact form.": "通过公开联系表单询问更大用量的公司。",
  "No leads yet": "还没有销售线索",
  "Requests from the public contact form appear here, newest first.": "公开联系表单的请求会显示在此，最新的在前。",
  "Lead saved": "销售线索已保存",
  "Save lead": "保存销售线索",
  "For admins only; it is never sent.": "仅管理员可见，不会发送。",
};
