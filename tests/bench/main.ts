/** `bun run bench <name>`: the measurements that anyone can repeat. Each prints its own help with `--help`. */
import { runBooksBench } from "./books/run.ts";
import { runCallBench } from "./call/run.ts";
import { runExportBench } from "./export/run.ts";
import { runGrowthBench } from "./growth/run.ts";
import { runListsBench } from "./lists/run.ts";
import { runMessagesBench } from "./messages/run.ts";
import { runNodeBench } from "./node/run.ts";
import { runOverviewBench } from "./overview/run.ts";
import { runRelayBench } from "./relay/run.ts";
import { runSettleBench } from "./settle/run.ts";
import { runSettlementBench } from "./settlement/run.ts";
import { runTraceBench } from "./trace/run.ts";
import { runTraceSearchBench } from "./trace-search/run.ts";

const benches: Record<string, (args: string[]) => Promise<number>> = {
  books: runBooksBench,
  call: runCallBench,
  export: runExportBench,
  growth: runGrowthBench,
  lists: runListsBench,
  messages: runMessagesBench,
  node: runNodeBench,
  overview: runOverviewBench,
  relay: runRelayBench,
  settle: runSettleBench,
  settlement: runSettlementBench,
  trace: runTraceBench,
  "trace-search": runTraceSearchBench,
};

// Without a name, `--check` is that of the relay.
const [name = "", ...args] = Bun.argv[2] === "--check" ? ["relay", ...Bun.argv.slice(2)] : Bun.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  console.error(`usage: bun run bench <${Object.keys(benches).join("|")}> [--help]`);
  process.exit(2);
}
process.exit(await bench(args));
