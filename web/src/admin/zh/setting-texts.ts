export const settingTextsZh = {
  "The name of your service, on every page, in e-mails, in authenticators and in the API description. It may have up to 40 characters.":
    "您的服务名称，显示在每个页面、邮件、身份验证器和 API 说明中。最多 40 个字符。",
  "The e-mail address for support, linked at the end of every public page. Leave it empty for no link.":
    "客服电子邮件地址，链接在每个公开页面底部。留空则没有链接。",
  'Say "Powered by Sluice" at the end of every public page if your service has another name.':
    "如果您的服务使用其他名称，在每个公开页面底部显示“Powered by Sluice”。",
  "The colour of buttons and links on every page and in e-mails, such as #0b6b5f. Each theme uses the nearest colour in which text is readable. Leave it empty for the default.":
    "每个页面和邮件中按钮与链接的颜色，例如 #0b6b5f。每种主题使用文字可读的最接近颜色。留空则使用默认颜色。",
  "Show your logo without the name beside it, because it contains the name.":
    "只显示标志而不在旁边显示名称，因为标志已包含名称。",
  "The name that e-mails come from. Leave it empty for the name of your service.":
    "邮件的发件人名称。留空则使用服务名称。",
  "Your terms of service, linked at the end of every public page and below the registration form: a URL that begins with https://, or a path of this site. Leave it empty for the page that you write under Branding, or no link if there is none.":
    "您的服务条款，链接在每个公开页面底部和注册表单下方：以 https:// 开头的 URL，或本站的路径。留空则使用您在“品牌”中编写的页面；没有该页面则没有链接。",
  "Your privacy policy, linked at the end of every public page and below the registration form: a URL that begins with https://, or a path of this site. Leave it empty for the page that you write under Branding, or no link if there is none.":
    "您的隐私政策，链接在每个公开页面底部和注册表单下方：以 https:// 开头的 URL，或本站的路径。留空则使用您在“品牌”中编写的页面；没有该页面则没有链接。",
  "Your legal notice, linked at the end of every public page and below the registration form: a URL that begins with https://, or a path of this site. Leave it empty for the page that you write under Branding, or no link if there is none.":
    "您的法律声明，链接在每个公开页面底部和注册表单下方：以 https:// 开头的 URL，或本站的路径。留空则使用您在“品牌”中编写的页面；没有该页面则没有链接。",
  "A line at the top of every public page, the login pages and the console, such as a planned maintenance. It may have up to 200 characters. Leave it empty for no announcement.":
    "显示在每个公开页面、登录页和控制台顶部的一行文字，例如计划中的维护。最多 200 个字符。留空则没有公告。",
  "Where the announcement leads: a URL that begins with https://, or a path of this site.":
    "公告的链接：以 https:// 开头的 URL，或本站的路径。",
  "When the announcement begins, in UTC, such as 2030-12-24 18:00. Leave it empty to begin immediately.":
    "公告开始的时间（UTC），例如 2030-12-24 18:00。留空则立即开始。",
  "When the announcement ends, in UTC, such as 2030-12-24 20:00. Leave it empty to show it until you remove its text.":
    "公告结束的时间（UTC），例如 2030-12-24 20:00。留空则在您移除文字时结束。",
  "Show a public status page, /status/, linked at the end of every public page. It does not name channels or count calls.":
    "显示公开的 /status/ 页面，说明您的模型状况，并链接在每个公开页面底部。它不显示渠道名称和调用次数。",
  "Show on the status page how soon each model begins to respond.": "在状态页上显示每个模型的调用开始应答的快慢。",
  "Show the incidents that admins post on the status page.": "在状态页上显示管理员发布的事件通报。",
  "Store the bodies of calls, encrypted. Each API key can opt out.":
    "加密存储调用的内容。每个 API 密钥都可以选择不存储。",
  "How much of each request and each response is stored. A response never takes more than 262144.":
    "每个请求和响应存储多少。响应最多存储 262144。",
  "How long stored bodies can be read. Older ones are permanently destroyed, immediately if you lower this number.":
    "存储的内容可读取多久。更早的会永久销毁；调低此值时立即销毁。",
  "How long metadata of calls can be searched, and how long end users and tags stay in the usage. Bodies are destroyed no later than this. Amounts and billing are not affected.":
    "调用的元数据可搜索多久，以及最终用户和标签在用量中保留多久。内容最迟在此时销毁。金额和计费不受影响。",
  "How many payloads one super-admin can read per hour.": "一位超级管理员每小时可读取多少份内容。",
  "Let users read the bodies of their own calls in the console, once they have switched that on for their account. Each access is recorded.":
    "允许用户为自己的账户开启后，在控制台读取自己调用的内容。每次读取都会被记录。",
  "How many payloads of their own calls a user can read per hour.": "用户每小时可读取多少份自己调用的内容。",
  "Answer repeated requests from stored responses, for API keys that ask for it. Turning it off deletes what is stored.":
    "对提出要求的 API 密钥，用已存储的响应应答重复的请求。关闭后会清除已存储的内容。",
  "What a response from the cache costs, in hundredths of a percent of its normal price: 1000 is 10 %.":
    "来自缓存的响应的收费，为正常价格的万分之几：1000 即 10 %。",
  "How long a response is stored, unless its call asks for another time.": "响应存储多久，除非调用要求其他时长。",
  "The longest time for which a call can have its response stored.": "调用可要求的最长时间。",
  "The memory that each process uses for responses. The ones used longest ago make room for new ones.":
    "每个进程用于响应的内存。最久未使用的会让位给新的。",
  "Longer responses are not stored.": "更长的响应不存储。",
  "Answer a request with the response to an equal request of another user in the same group. Users can then find out whether somebody else has sent a request before.":
    "用同一分组中其他用户相同请求的响应来应答。用户因此可能得知有人曾发送过该请求。",
  "How long an admin's login counts as recent. Payloads, addresses, credentials, prices and rights require a recent login.":
    "管理员的登录在多长时间内算作最近登录。内容、地址、凭据、价格和权限要求最近登录。",
  "Require an authenticator: without one, an admin can do nothing but set one up.":
    "要求使用身份验证器：没有时，管理员只能先设置它。",
  "The most an admin can add to or deduct from a user's balance in one adjustment. Larger amounts require a super-admin with a recent login.":
    "管理员一次最多可手动增加或扣减用户余额的金额。更大的金额需由最近登录过的超级管理员操作。",
  "The most one admin can add to and deduct from balances per UTC day in total. Larger amounts require a super-admin.":
    "一位管理员每个 UTC 日增加和扣减余额的总额上限。更大的金额需由超级管理员操作。",
  "The most an admin can refund in one step. Larger amounts require a super-admin with a recent login.":
    "管理员一次最多可退款的金额。更大的金额需由最近登录过的超级管理员操作。",
  "The most one admin can refund per UTC day in total. Larger amounts require a super-admin.":
    "一位管理员每个 UTC 日退款的总额上限。更大的金额需由超级管理员操作。",
  "Above this amount, in one step or in total per day, an adjustment or refund waits until a second super-admin has approved it. So do new rights, looser limits for admins, lower prices, and credentials for payments and mail. 0 turns this off. Make sure that there are two super-admins first: one alone can't undo it.":
    "单次或每日累计超过此金额时，余额调整或退款须等待另一位超级管理员批准。新的权限、放宽管理员限额、降低价格以及支付和邮件的凭据也是如此。0 表示关闭。请先有两位超级管理员：只有一位时无法撤销。",
  "Report a channel once this share of its attempts fails within five minutes, and again when it is half of that. Failed attempts of all channels count together too.":
    "渠道在五分钟内失败的尝试达到此比例时发出通知，降到一半时再次通知。所有渠道失败的尝试也会合并计算。",
  "With fewer attempts than this in five minutes, no error rate is reported.":
    "五分钟内的尝试少于此数时，不通知错误率。",
  "How long reports of public pages, and which campaign a payment came from, are kept.":
    "公开页面的统计，以及付款来自哪个推广活动，保留多久。",
  "How long the closing of an account can be undone. Its API keys are refused from the beginning.":
    "账户关闭可撤销的期限。其 API 密钥从一开始就会被拒绝。",
  "How many failed logins of users from one IP address are allowed before each further attempt has to wait longer.":
    "同一地址的用户登录失败多少次后，之后的每次尝试须等待更久。",
  "How many failed logins of admins from one IP address are allowed before each further attempt has to wait longer.":
    "同一地址的管理员登录失败多少次后，之后的每次尝试须等待更久。",
  "How many accounts can be registered from one IP address before each further registration has to wait longer.":
    "同一地址注册多少个账户后，之后的每次注册须等待更久。",
  "Offer the wallet gateway for new payments. While it is off, orders that were opened before are still settled, and refunds still work.":
    "为新付款提供钱包支付网关。关闭期间，先前的订单仍会结算，退款仍可进行。",
  "Offer the card gateway for new payments. While it is off, orders that were opened before are still settled, and refunds still work.":
    "为新付款提供银行卡支付网关。关闭期间，先前的订单仍会结算，退款仍可进行。",
  "How long a customer keeps a plan that renews while the card gateway fails to charge for the next month. Then it ends, and nothing more is charged.":
    "银行卡网关未能扣取下月款项时，客户可保留自动续订套餐的天数。之后套餐结束，不再扣款。",
  "How much notice customers whose plan renews get of a new price, balance or group. They get an e-mail immediately; months that begin earlier keep the old terms.":
    "套餐的新价格、余额或分组对自动续订的客户提前多久通知。他们会立即收到邮件；在此之前开始的月份保留原条款。",
  "Reward users who invite others. Each user has a link; people who register with it count once their first payment through a gateway has lasted long enough.":
    "奖励邀请他人的用户。每位用户都有一个链接；通过它注册的人，其首次网关付款保持一段时间后计入。",
  "What the inviter gets for a person. It holds for people who register from then on.":
    "邀请人每邀请一人所得。对此后注册的人有效。",
  "What the invited person gets at the same time.": "被邀请人同时所得。",
  "How long the first payment has to last before the reward is given: your time for refunds.":
    "首次付款须保持多久才发放奖励：即您处理退款的时间。",
  "The smallest first payment that counts.": "计入的最低首次付款金额。",
  "For how many people a user can be rewarded in a UTC month. There is never a reward for those above it.":
    "用户每个 UTC 月可因多少人获得奖励。超出的将不再计入。",
  "How long after a reward it is taken back if the payment is refunded or disputed. Card holders can dispute for about 120 days.":
    "发放奖励后多久之内，如果付款被退款或有争议则收回奖励。持卡人大约可在 120 天内提出争议。",
  "How many e-mails with links can be requested from one IP address before each further request has to wait longer.":
    "同一地址请求多少封含链接的邮件后，之后的每次请求须等待更久。",
  bytes: "字节",
  days: "天",
  payloads: "份",
  "hundredths of a percent": "万分之一",
  seconds: "秒",
  minutes: "分钟",
  attempts: "次尝试",
  "attempts per hour": "次尝试 / 小时",
  "accounts per hour": "个账户 / 小时",
  "US cents of balance": "美分余额",
  people: "人",
  "e-mails per hour": "封邮件 / 小时",
  "Show how soon each model begins to respond and how many tokens a second it streams, in the public list of models and on the page of each. Counted over the last seven whole days in UTC.":
    "在公开的模型列表和每个模型的页面上显示其开始应答的快慢和每秒输出的 token 数，按 UTC 最近七个整天计算。",
  "Show the share of answered calls of each model: of each of the last 90 days on the status page, and of 30 days in the public list of models.":
    "在状态页上显示每个模型最近 90 天中每天已应答调用的比例，并在公开的模型列表中显示 30 天的比例。",
};
