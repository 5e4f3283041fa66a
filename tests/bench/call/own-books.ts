/* The second thread of `bench call`: takes rows as the real one does, and writes none. */
import type { CommitNews, CommitOrder } from "@sluice/control-plane/compose/call-commits.ts";
import { onThreadMessages } from "@sluice/control-plane/platform/kept-thread.ts";

const report = (news: CommitNews): void => postMessage(news);

onThreadMessages({
  commits: ({ number, calls }: CommitOrder) => {
    report({ topic: "commits", kind: "begun", number });
    const charges = calls.usage.sums.map(({ budgetId, charge }) => ({ budgetId, charged: charge, taken: charge }));
    report({ topic: "commits", kind: "done", number, charges });
  },
});
