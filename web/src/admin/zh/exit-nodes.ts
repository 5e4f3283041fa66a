export const exitNodesZh = {
  DNS: "DNS",
  Checked: "检查时间",
  "Agents on other hosts that send calls of the group node-test from their own addresses. Calls of the default group never go there.":
    "其他主机上的程序，从自身地址发出分组 node-test 的调用。默认分组的调用不会经过它们。",
  "Install the agent on a host, then add the host here with the agent's relay key.":
    "先在主机上安装节点程序，再用其中继密钥在此添加该主机。",
  "Add the first node": "添加第一个节点",
  "Add an exit node": "添加出口节点",
};
