export const referralsZh = {
  "the address has another account": "该地址有另一个账户",
  "the browser has another account": "该浏览器有另一个账户",
  "the network is the inviter's, or was used too often": "与邀请人网络相同，或网络使用过于频繁",
  "the inviter had enough rewards in that month": "邀请人当月奖励已达上限",
  Invited: "被邀请人",
  "Inviter gets": "邀请人所得",
  Decided: "决定时间",
  "People who registered with a user's link. Referrals, their rewards and their limits are set in the settings.":
    "通过用户链接注册的人。奖励、限制以及是否启用邀请由设置决定。",
  "Inviter's user ID": "邀请人用户 ID",
  "Nobody was invited yet": "还没有人被邀请",
  "While “Reward invitations” is on in the settings, users find their link under Billing.":
    "只要在设置中启用“奖励邀请”，用户即可在“计费”下找到自己的链接。",
  "Invited person gets": "被邀请人所得",
  "Payment has to last": "付款须保持",
  "{wait_days} days": "{wait_days} 天",
  "Refused because": "拒绝原因",
  "Taken back": "收回时间",
  "the invited person has closed the account": "被邀请人已关闭账户",
};
