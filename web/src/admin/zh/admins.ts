export const adminsZh = {
  Mobile: "手机",
  "Last login": "最近登录",
  "This is you: only another super-admin can change your rights or end your sessions.":
    "这是您自己：只有其他超级管理员才能更改您的权限或结束您的会话。",
  "Read-only sees everything but bodies and secrets. Support sees users, keys, calls and e-mails, and suspends users and keys. Billing sees and manages orders and money.":
    "“只读”可查看除内容和机密以外的一切。“客服”可查看用户、密钥、调用和邮件，并可暂停用户和密钥。“账务”可查看和处理与订单、资金有关的事项。",
  "Change role": "更改角色",
  "Make super-admin": "设为超级管理员",
  "Make plain admin": "设为普通管理员",
  "Make admin again": "恢复为管理员",
  "Send password link": "发送密码链接",
  "Their sessions and access tokens end immediately; they have to log in again.":
    "对方的会话和访问令牌立即结束，需要重新登录。",
  "They can do everything here, including to you. They have to log in again.":
    "对方将可以执行此处的一切操作，包括针对您的操作。对方需要重新登录。",
  "They keep ordinary admin rights, without access to secrets, settings, payloads and other admins. They have to log in again.":
    "对方保留普通管理员权限，但不能访问机密、设置、调用内容和其他管理员。对方需要重新登录。",
  "They are logged out immediately and can't log in. Links already sent to them stop working.":
    "对方立即退出登录且无法再登录，已发出的链接也会失效。",
  "They can log in again with their old password, as a plain admin.": "对方可以用原密码重新登录，身份为普通管理员。",
  "They receive a link by e-mail that works once, within an hour. The old password works until then.":
    "对方会收到一封邮件，其中的链接一小时内可使用一次。在此之前旧密码仍然有效。",
  "They are logged out everywhere immediately, and can log in again.":
    "对方立即在所有设备上退出登录，之后可以重新登录。",
  "Verify who is asking: without it, the password alone is enough. All their sessions end.":
    "请先核实请求者的身份：移除后仅凭密码即可登录。对方的所有会话都会结束。",
  "A link is on its way to {email}.": "链接已发往 {email}。",
  "{revoked} sessions ended.": "已结束 {revoked} 个会话。",
  "The authenticator was removed.": "身份验证器已移除。",
  "{username} was changed.": "{username} 已更改。",
  "Type the username.": "请输入用户名。",
  "This waits": "此操作需要等待",
  "Type {username} to confirm": "输入 {username} 以确认",
  "Letters, digits, dots, dashes and underscores.": "字母、数字、点、连字符和下划线。",
  "The password link is sent here.": "密码链接会发送到此地址。",
  "{username} was created; a link is on its way to {email}.": "已创建 {username}，链接已发往 {email}。",
  "Create admin": "创建管理员",
  "Receives a password link that is valid for an hour.": "将收到一个一小时内有效的密码链接。",
  "Mobile number (optional)": "手机号码（可选）",
  "Super-admins grant and remove access. Passwords are set through a link sent by e-mail; nobody else sees them.":
    "超级管理员负责授予和取消访问权限。密码通过邮件中的链接设置，其他人无法看到。",
  "Admins can be viewed and changed": "查看和更改管理员",
  "No admins yet": "还没有管理员",
  "Create the first one with a command on the server.": "请在服务器上用命令创建第一位管理员。",
};
