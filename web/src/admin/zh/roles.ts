export const rolesZh = {
  "What each role may do and see. A super-admin assigns roles on the Admins page. A star marks what requires a recent login.":
    "每种角色可以做什么、看什么。超级管理员在“管理员”页面分配角色。星号表示要求最近登录过。",
  "{area}: do": "{area}：操作",
  see: "查看",
  "everything but what is for super-admins": "除仅限超级管理员之外的一切",
  everything: "一切",
  "{area}: see": "{area}：查看",
  "not {field}": "不含 {field}",
  "only {fields}": "仅 {fields}",
};
