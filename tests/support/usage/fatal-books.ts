import type { BooksSetup } from "@sluice/control-plane/compose/books-thread.ts";
import type { CommitOrder } from "@sluice/control-plane/compose/call-commits.ts";
import { openCommitWork } from "@sluice/control-plane/compose/commit-work.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { onThreadMessages } from "@sluice/control-plane/platform/kept-thread.ts";
import { linesOf } from "@sluice/control-plane/platform/spool/model.ts";
import { TextReceiver } from "@sluice/control-plane/platform/spool/sent-texts.ts";

/* A thread of the books that some rows end: those of the model "fatal". */

const receiver = new TextReceiver();
let commits: ((order: CommitOrder) => void) | null = null;

onThreadMessages({
  setup: ({ database }: BooksSetup) => {
    const db = openDatabase({ ...database, poolMax: 1, applicationName: "test books" });
    commits = openCommitWork(db, (news) => postMessage(news));
  },
  commits: (order: CommitOrder) => {
    const texts = order.calls.texts.map((text) => receiver.fromMessage(text));
    const calls = { ...order.calls, texts };
    if (linesOf(texts).some((line) => line.includes('"fatal"'))) {
      // What had begun fails, so that it is certain that nothing was committed.
      commits?.({ ...order, calls: { ...calls, texts: [Buffer.from('["usage",no json]')] } });
      throw new Error("these rows end the thread");
    }
    commits?.({ ...order, calls });
  },
});
