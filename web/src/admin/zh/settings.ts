export const settingsZh = {
  Brand: "品牌",
  Announcement: "公告",
  Analytics: "统计",
  "Logins and registration": "登录与注册",
  "Rights of admins": "管理员权限",
  "Changes take effect immediately, in every instance, and are recorded in the audit log.":
    "更改在所有实例立即生效，并记入审计日志。",
  "Only super-admins can change settings. {username} is logged in as an admin without that right and can only view them.":
    "只有超级管理员可以更改设置。当前登录的 {username} 是没有此权限的管理员，只能查看。",
  "What lets one admin do more than now waits": "让单个管理员拥有更多权力的更改需要等待",
  "The response cache is empty": "响应缓存已清空",
  "Clear the cache": "清空缓存",
};
